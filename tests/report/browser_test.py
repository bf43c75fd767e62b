#!/usr/bin/python3
"""Opens reports in headless Chromium: no console errors, no requests, plots drawn, numbers those of the
JSON, a click enlarges. browser_test.py SKINMASK SOURCE; exit status 77 (skipped) without Chromium.
With the research data, the default model's report on ECU too, which is to stay below 6 MB."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile

from browser import Browser, find_chromium

# Distinct colours of each canvas: an empty one has a single one.
COLOURS = """[...document.querySelectorAll('canvas')].filter((c) => c.offsetParent).map((canvas) => {
  const data = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height).data;
  const seen = new Set();
  for (let i = 0; i < data.length; i += 4) seen.add(data[i] << 24 | data[i+1] << 16 | data[i+2] << 8 | data[i+3]);
  return [canvas.id, seen.size]; })"""
NUMBERS = """[...document.querySelectorAll('[data-path]')].map(
  (e) => [e.dataset.path, Number(e.dataset.digits ?? e.dataset.percent), e.textContent, 'percent' in e.dataset])"""
CONFUSION = "[...document.querySelectorAll('#confusion td')].map((cell) => cell.textContent)"


def check(truth, message):
    if not truth:
        sys.exit("FAILED: " + message)


def at(value, path):
    for key in path.split("."):
        value = value[int(key)] if isinstance(value, list) else value[key]
    return value


def said(value, digits):
    if value is None:
        return "–"
    if isinstance(value, str):
        return value
    return f"{value:,}" if digits == 0 else f"{value:.{digits}f}"


def check_numbers(browser, evaluation):
    numbers = browser.evaluate(NUMBERS)
    check(len(numbers) > 5, "the page shows numbers of the JSON")
    for path, digits, text, percent in numbers:
        value = at(evaluation, path)
        if percent and value is not None:
            value, text = 100 * value, text.removesuffix(" %")
        # Halves may round either way.
        equal = text == said(value, digits) or (
            digits and isinstance(value, float) and abs(float(text) - value) <= 0.5000001 * 10**-digits)
        check(equal, f"{path} is {value} in the JSON, {text} on the page")


def check_report(browser, report, evaluation, canvases, **view):
    browser.open(report, **view)
    check(not browser.problems, "\n".join(browser.problems))
    colours = browser.evaluate(COLOURS)
    check(len(colours) == canvases, f"{canvases} plots are wanted, there are {colours}")
    for name, count in colours:
        check(count > 10, f"plot {name} is blank ({count} colours)")
    check_numbers(browser, evaluation)
    check(browser.evaluate("document.documentElement.scrollWidth <= innerWidth"), f"the page is too wide: {view}")


def check_enlarging(browser):
    check(not browser.evaluate("document.getElementById('enlarged').open"), "nothing is enlarged at first")
    browser.click("#worst button")
    check(browser.evaluate("document.getElementById('enlarged').open"), "a click enlarges")
    check(browser.evaluate("document.querySelector('#enlarged img').clientWidth > 200"), "the picture is large")
    browser.click("#enlarged img")
    check(not browser.evaluate("document.getElementById('enlarged').open"), "a second click closes it")


def check_trying(browser, evaluation):
    """The slider moves the marks and the confusion matrix, whose counts are those of the step."""
    own = browser.evaluate(CONFUSION)
    browser.evaluate("(() => { const t = document.getElementById('threshold'); t.value = Number(t.value) - 20;"
                     " t.dispatchEvent(new Event('input')); })()")
    tried = browser.evaluate(CONFUSION)
    counts, curves = evaluation["pooled"], evaluation["curves"]
    step = curves["operating_point"] + 20
    hits = round(curves["recall"][step] * (counts["tp"] + counts["fn"]))
    check(tried != own and tried[1].startswith(f"{hits:,}"), f"{hits} hits at the step, the page has {tried}")
    mark = browser.evaluate("charts.find((c) => c.chart.canvas.id === 'roc').chart.data.datasets.find((d) => d.follow).data[0].y")
    check(mark == curves["recall"][step], "the mark lies on the curve")
    check_numbers(browser, evaluation)
    browser.click("#own")
    check(browser.evaluate(CONFUSION) == own, "the model's own threshold comes back")


def check_table(browser, evaluation):
    """The table of images sorts and filters."""
    names = "[...document.querySelectorAll('#all tbody tr')].map((r) => r.cells[0].textContent.trim())"
    all_names = [image["name"] for image in evaluation["images"]]
    check(browser.evaluate(names) == all_names, "a row for each image, in their order")
    by_f1 = [image["name"] for image in sorted(evaluation["images"], key=lambda image: image["f1"])]
    for order in by_f1, by_f1[::-1]:
        browser.evaluate("[...document.querySelectorAll('#all .sort')].find((b) => b.textContent === 'F1').click()")
        check(browser.evaluate(names) == order, "the table is sorted by F1")
    browser.evaluate("(() => { const f = document.getElementById('filter'); f.value = 'ASTRO'; f.dispatchEvent(new Event('input')); })()")
    check(browser.evaluate(names) == ["astronaut.png"], "the table is filtered")


def check_comparison(browser, report, comparison, **view):
    check_report(browser, report, comparison, 3, **view)
    named = browser.evaluate("document.getElementById('answer').textContent")
    check(named == f"Take {comparison['choice']['simplest']}.", f"the page says '{named}'")
    rows = browser.evaluate("[...document.querySelectorAll('#models tr')].slice(1).map((r) => r.className)")
    marked = sum(model["within_one_standard_error"] for model in comparison["models"])
    check(len(rows) == len(comparison["models"]), "a row for each model")
    check(rows.count("simplest") == 1 and rows.count("within") == marked - 1, f"{marked} rows are marked: {rows}")


def main():
    chromium = find_chromium()
    if not chromium:
        print("skipped: needs chromium")
        sys.exit(77)
    skinmask, source = sys.argv[1], pathlib.Path(sys.argv[2])
    samples = source / "samples"
    ecu = pathlib.Path(os.environ.get("SKINMASK_DATA", source / "../shared/data")) / "ecu"
    with tempfile.TemporaryDirectory() as folder, Browser(chromium) as browser:
        def made(name, *arguments):
            report, numbers = f"{folder}/{name}.html", f"{folder}/{name}.json"
            subprocess.run([skinmask, "evaluate", *map(str, arguments), "--report", report, "--json=" + numbers],
                           check=True, stdout=subprocess.DEVNULL)
            return report, json.loads(pathlib.Path(numbers).read_text())

        report, evaluation = made("images", "--images", samples / "photos", "--truth", samples / "masks")
        check_report(browser, report, evaluation, 10)
        check_enlarging(browser)
        check_trying(browser, evaluation)
        browser.evaluate("document.querySelectorAll('details').forEach((d) => { d.open = true; })")
        browser.evaluate("new Promise((done) => setTimeout(done, 200))")
        check_numbers(browser, evaluation)
        check_table(browser, evaluation)
        check_report(browser, report, evaluation, 10, width=390, dark=True)
        check_report(browser, *made("table", "--samples", samples / "labelled-pixels.csv"), 9)
        three, model = f"{folder}/three.csv", f"{folder}/three.json"
        header, *rows = (samples / "labelled-pixels.csv").read_text().splitlines()
        rows = [row.replace("non-skin", "dark", 1) if int(row.split(",")[1]) < 60 else row for row in rows]
        pathlib.Path(three).write_text("\n".join([header, *rows, ""]))
        for kind in "mixture", "histogram":
            subprocess.run([skinmask, "train", "-q", "--force", "--samples", three, "--kind", kind, "-o", model], check=True)
            check_report(browser, *made("three-" + kind, "--samples", three, "--model", model), 9)
            check(browser.evaluate("document.querySelectorAll('#classes tr').length") == 5, "a row for each class")
        # Any masks, and any scores: what they are of takes least without adaptation.
        subprocess.run([skinmask, "detect", "-q", "--adapt", "off", samples / "photos", "-o",
                        folder + "/out"], check=True)
        light = pathlib.Path(folder, "light.csv")
        light.write_text("image,light\nastronaut.png,studio\ngrace_hopper.png,<b>&\n")
        check_report(browser, *made("masks", "--predicted", folder + "/out", "--truth", samples / "masks", "--by", light), 2)
        check_enlarging(browser)
        two = [word for name in ("default", "uci") for word in ("--model", source / f"models/{name}.json")]
        check_report(browser, *made("two", "--images", samples / "photos", "--truth",
                                    samples / "masks", "--adapt", "off", *two), 10)
        check(browser.evaluate("document.querySelectorAll('#differences tr').length") == 10, "a row for each score")
        compared, table = f"{folder}/compared.html", f"{folder}/compared.json"
        for rows, models in (samples / "labelled-pixels.csv", "default"), (three, f"{folder}/three.json"):
            subprocess.run([skinmask, "compare", "-q", "--force", "--samples", str(rows), "--folds", "2", "--spaces", "BGR,rg",
                            "--kinds", "qda,lda,histogram", "--models", models, "--report", compared, "--json=" + table],
                           check=True, stdout=subprocess.DEVNULL)
            comparison = json.loads(pathlib.Path(table).read_text())
            check_comparison(browser, compared, comparison)
        check_comparison(browser, compared, comparison, width=390, dark=True)  # with the longer names
        if ecu.exists() and not os.environ.get("SKINMASK_SANITIZED"):  # which takes a quarter of an hour there
            report, evaluation = made("ecu", "--adapt", "off", "--images", ecu / "images", "--truth", ecu / "masks",
                                      "--mask-name", "{stem}_skin_{stem}", "--by", "tone")
            check(os.path.getsize(report) < 6e6, "the report is below 6 MB")
            check_report(browser, report, evaluation, 12)
            rows = browser.evaluate("[...document.querySelectorAll('#groupings table')].map((t) => t.rows.length)")
            check(rows == [7, 11], f"a row for each class of tone: {rows}")
            check_report(browser, report, evaluation, 12, width=390, dark=True)
            check_enlarging(browser)
    print("reports open, draw, and say what the JSON says")


main()
