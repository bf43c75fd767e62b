#!/usr/bin/env bash
#SBATCH --job-name=skinmask --ntasks=1 --requeue --open-mode=append
# Runs one shard of skinmask as a task of a Slurm array:
#   SHARDS=100 sbatch --array=1-100 --cpus-per-task=2 scripts/cluster/slurm-array.sh detect shards -o masks --resume
# '{}' in an argument is replaced by the number of the shard: -o part-{}.csv, --partial part-{}.json. SHARDS is the number of
# shards, because SLURM_ARRAY_TASK_COUNT is 2 for --array=3,7. SKINMASK is the program, if it is not on the PATH.
set -euo pipefail
shard=${SLURM_ARRAY_TASK_ID:?is set by sbatch --array}
words=()
for word in "$@"; do words+=("${word//\{\}/$shard}"); done
# exec makes the program the batch step, so that it receives Slurm's signals.
exec "${SKINMASK:-skinmask}" "${words[@]}" --shard "$shard/${SHARDS:?is how many shards there are}" \
  --threads "${SLURM_CPUS_PER_TASK:-1}"
