/* Draws the table of each chart with uPlot, which styles by the CSSOM only, as the page's policy demands. */
(() => {
  const { uPlot } = window;
  const height = 220;
  const variable = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
  const timeFormat = { timeZone: "UTC", hourCycle: "h23" };
  const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", ...timeFormat });
  const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", ...timeFormat });
  const fieldOf = (seconds) => new Date(seconds * 1000).toISOString().slice(0, 16);

  /** The label of a tick. Midnight is named by its day. */
  function tick(seconds, increment) {
    const isDay = increment >= 86_400 || seconds % 86_400 === 0;
    return (isDay ? day : clock).format(seconds * 1000);
  }

  function timeOf(seconds) {
    return `${day.format(seconds * 1000)}, ${clock.format(seconds * 1000)}`;
  }

  function read(section) {
    const names = [...section.querySelectorAll("thead th")].slice(1).map((cell) => cell.textContent);
    const rows = [...section.querySelectorAll("tbody tr")];
    const times = rows.map((row) => Date.parse(row.querySelector("time").dateTime) / 1000);
    const texts = names.map((_, index) =>
      rows.map((row) => row.querySelectorAll("td")[index].textContent.trim()),
    );
    return { names, times, texts };
  }

  /** The distances of ticks where half a pull request means nothing. */
  const wholeSteps = [1, 2, 5]
    .flatMap((one) => [one, one * 10, one * 100, one * 1_000, one * 10_000])
    .sort((a, b) => a - b);

  const numberIn = (text) => (text === "–" ? null : Number(text));

  function draw(section) {
    const { names, times, texts } = read(section);
    const isStack = section.dataset.kind === "stack";
    const step = Number(section.dataset.step);
    const sums = times.map(() => 0);
    const values = texts.map((cells) =>
      cells.map((text, row) => {
        if (!isStack) return numberIn(text);
        sums[row] += numberIn(text) ?? 0;
        return sums[row];
      }),
    );
    const occurs = (index) => !isStack || texts[index].some((text) => numberIn(text) > 0);
    // Each bar of a stack covers the ones behind it, so the highest is drawn first.
    const all = names.map((_, index) => (isStack ? names.length - 1 - index : index));
    const order = all.filter(occurs);
    const series = order.map((index) => {
      const color = () => variable(`--series-${index + 1}`);
      const look = isStack
        ? { stroke: () => variable("--paper"), fill: color, width: 1, paths: bars, points: { show: false } }
        : {
            stroke: color,
            width: 2,
            dash: index === 0 ? [] : [7, 4],
            points: { show: true, size: 6, stroke: color, fill: color },
          };
      const value = (_plot, _value, _series, row) => (row === null ? "" : texts[index][row]);
      return { label: names[index], value, ...look };
    });
    const axis = { stroke: () => variable("--quiet"), grid: { stroke: () => variable("--line"), width: 1 } };
    const target = section.querySelector(".plot");
    const plot = new uPlot(
      {
        width: target.clientWidth,
        height,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), "Etc/UTC"),
        scales: {
          x: { range: [times[0], times.at(-1) + step] },
          y: { range: (_plot, _least, most) => [0, Math.max(most, 1e-9) * 1.05] },
        },
        series: [
          {
            label: "Time (UTC)",
            value: (_plot, at) =>
              at === null ? `${timeOf(times[0])} to ${timeOf(times.at(-1) + step)}` : timeOf(at),
          },
          ...series,
        ],
        axes: [
          {
            ...axis,
            values: (_plot, splits, _axis, _space, increment) => splits.map((at) => tick(at, increment)),
          },
          {
            ...axis,
            size: 56,
            ...(texts.flat().some((text) => text.includes(".")) ? {} : { incrs: wholeSteps }),
          },
        ],
        cursor: { y: false, drag: { x: true, y: false, setScale: false } },
        legend: { markers: { stroke: colorOf, fill: colorOf } },
        hooks: { setSelect: [(shown) => open(shown, step)] },
      },
      [times, ...order.map((index) => values[index])],
      target,
    );
    new ResizeObserver(() => plot.setSize({ width: target.clientWidth, height })).observe(target);
    const schemes = matchMedia("(prefers-color-scheme: dark)");
    schemes.addEventListener("change", () => plot.redraw(false, false));

    function colorOf(_plot, index) {
      return `var(--series-${order[index - 1] + 1})`;
    }
  }

  const bars = uPlot.paths.bars({ size: [0.85, 60], align: 1 });

  /** Opens this page for the selected period, so that it lists the pull requests of that period. */
  function open(plot, step) {
    const { left, width } = plot.select;
    if (width < 4) return;
    const [from, to] = [left, left + width].map((x) => plot.posToVal(x, "x") / step);
    const query = { from: fieldOf(Math.floor(from) * step), to: fieldOf(Math.ceil(to) * step) };
    location.assign(`?${new URLSearchParams(query)}`);
  }

  for (const section of document.querySelectorAll(".chart")) draw(section);
})();
