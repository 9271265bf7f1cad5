/**
 * The colours of all pages, light and dark by the reader's setting. Text on them is AA or better; `edge` bounds what can
 * be used, and is 3:1.
 */
export const palette = `
:root {
  color-scheme: light dark;
  --paper: #fbfaf7; --card: #ffffff; --ink: #1c2421; --soft: #56615c; --line: #e2e0d8;
  --accent: #1f6f5c; --sponsor: #b5781d; --good: #1f7a4d; --warn: #a15c00; --bad: #b3261e; --busy: #2f62a8; --track: #eceae3;
  --edge: #84877e;
}
@media (prefers-color-scheme: dark) {
  :root {
    --paper: #131716; --card: #1a201e; --ink: #e7ebe8; --soft: #a3ada8; --line: #2c3431;
    --accent: #5fc3a8; --sponsor: #e0ac59; --good: #63c793; --warn: #e5ac5c; --bad: #f2938c; --busy: #8db6f2; --track: #28302d;
    --edge: #76827d;
  }
}`
