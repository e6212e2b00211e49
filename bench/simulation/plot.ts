export type Bar = { readonly label: string; readonly value: number; readonly kind: 'alone' | 'without' | 'with' };
export type Group = { readonly title: string; readonly bars: readonly Bar[] };

const COLOURS = { alone: '#8a94a6', without: '#c2410c', with: '#1d6f5c' } as const;
const [WIDTH, BAR, GAP, LEFT, PLOT] = [720, 22, 26, 150, 500] as const;

/** Draws groups of horizontal bars on a logarithmic axis, as SVG for light and dark pages. */
export function barPlot(title: string, unit: string, groups: readonly Group[]): string {
  const values = groups.flatMap(({ bars }) => bars.map(({ value }) => value));
  const low = 10 ** Math.floor(Math.log10(Math.min(...values)));
  const high = 10 ** Math.ceil(Math.log10(Math.max(...values)));
  const x = (value: number) => LEFT + (PLOT * Math.log(value / low)) / Math.log(high / low);
  const parts: string[] = [];
  let y = 56;
  for (const group of groups) {
    parts.push(`<text x="16" y="${y + 15}" font-weight="600">${group.title}</text>`);
    y += BAR;
    for (const { label, value, kind } of group.bars) {
      parts.push(
        `<text x="${LEFT - 8}" y="${y + 15}" text-anchor="end">${label}</text>`,
        `<rect x="${LEFT}" y="${y + 3}" width="${Math.max(2, x(value) - LEFT).toFixed(1)}" height="${BAR - 6}" rx="2" fill="${COLOURS[kind]}"/>`,
        `<text x="${(x(value) + 6).toFixed(1)}" y="${y + 15}">${value < 1 ? value.toFixed(2) : value.toFixed(1)} ${unit}</text>`,
      );
      y += BAR;
    }
    y += GAP;
  }
  for (let line = low; line <= high; line *= 10) {
    parts.unshift(
      `<line x1="${x(line).toFixed(1)}" x2="${x(line).toFixed(1)}" y1="48" y2="${y - GAP}" stroke="#d3d9e2"/>`,
    );
    parts.push(
      `<text x="${x(line).toFixed(1)}" y="${y - 6}" text-anchor="middle" fill="#5b6575">${line} ${unit}</text>`,
    );
  }
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${y + 10}" font-family="system-ui, sans-serif" font-size="13" fill="#1c2430" role="img" aria-label="${title}">
<rect width="${WIDTH}" height="${y + 10}" rx="8" fill="#ffffff"/>
<text x="16" y="30" font-size="16" font-weight="600">${title}</text>
${parts.join('\n')}
</svg>
`;
}
