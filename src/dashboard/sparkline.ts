import { html } from "ghtml";

const [barWidth, barGap, height] = [7, 3, 22];

/** Renders figures as bars, from left to right. `words` contains the figures as text. */
export function renderSparkline(figures: readonly number[], words: string): string {
  const most = Math.max(1, ...figures);
  const bars = figures.map((figure, index) => {
    const size = figure === 0 ? 1 : Math.max(2, Math.round((figure / most) * height));
    return html`<rect x="${index * (barWidth + barGap)}" y="${height - size}" width="${barWidth}" height="${size}" rx="1"/>`;
  });
  const width = figures.length * (barWidth + barGap) - barGap;
  return html`<svg class="sparkline" viewBox="0 0 ${width} ${height}" role="img" aria-label="${words}"><title>${words}</title>!${bars}</svg>`;
}
