#!/usr/bin/env bash
#SBATCH --job-name=skinmask --ntasks=1 --requeue --open-mode=append
# One shard of a run of skinmask, as a task of a Slurm array:
#   SHARDS=100 sbatch --array=1-100 --cpus-per-task=2 scripts/cluster/slurm-array.sh detect shards -o masks --resume
# '{}' in an argument becomes the number of the shard: -o part-{}.csv, --partial part-{}.json. How many shards there
# are is SHARDS and not SLURM_ARRAY_TASK_COUNT, which is 2 for --array=3,7. SKINMASK is the program, if it is not on the PATH.
set -euo pipefail
shard=${SLURM_ARRAY_TASK_ID:?is set by sbatch --array}
words=()
for word in "$@"; do words+=("${word//\{\}/$shard}"); done
# exec: the program is the batch step then, and Slurm's signals reach it.
exec "${SKINMASK:-skinmask}" "${words[@]}" --shard "$shard/${SHARDS:?is how many shards there are}" \
  --threads "${SLURM_CPUS_PER_TASK:-1}"
