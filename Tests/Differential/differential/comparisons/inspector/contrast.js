// Returns the visible texts whose contrast with their background is below 4.5. Disabled controls are exempt.
const channels = (color) => (color.match(/[\d.]+/g) ?? []).map(Number);
const luminance = ([r, g, b]) => [r, g, b].map((c) => c / 255)
  .map((c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4))
  .reduce((sum, c, index) => sum + c * [0.2126, 0.7152, 0.0722][index], 0);
const background = (element) => {
  for (let each = element; each; each = each.parentElement) {
    const color = channels(getComputedStyle(each).backgroundColor);
    if (color.length === 3 || color[3] === 1) return color;
  }
  return [255, 255, 255];
};
const failures = new Set();
for (const element of document.querySelectorAll('body *')) {
  const hasText = [...element.childNodes].some((node) => node.nodeType === 3 && node.data.trim());
  if (!hasText || !element.checkVisibility() || element.closest(':disabled, script, style')) continue;
  const [a, b] = [luminance(channels(getComputedStyle(element).color)), luminance(background(element))];
  const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
  if (ratio < 4.5) failures.add(`${element.tagName}.${element.className} ${ratio.toFixed(2)}`);
}
return [...failures];
