/** The dashboard's style: for phones first, light and dark by the reader's setting. Contrast is AA or better. */
import { palette } from "../../page/Palette.ts"

export const style = `${palette}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
main { max-width: 70rem; margin: 0 auto; padding: 1rem .875rem 4rem; }
p, dl, dd, ol, ul, h1, h2 { margin: 0; padding: 0; }
ul { list-style: none; }
p + p, p + form, form + p, table + form, table + table, .row + .row, p + .action, section + .action, section + p, h1 + .field, p + .row, table + .row, p.soft + .row { margin-top: .75rem; }
h1 { font-size: 1.5rem; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; }
:is(h1, h2):focus { outline: none; }
h2 { margin-bottom: .75rem; font-size: 1.0625rem; font-weight: 650; }
section { margin-top: 1rem; padding: 1rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
code { font: .875em/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; overflow-wrap: anywhere; }
a { color: var(--accent); text-underline-offset: .2em; }
.soft, caption, .field > span { color: var(--soft); font-size: .9375rem; }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
:is(a, button, input, select, summary, .asking):focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; border-radius: .3rem; }

header { display: flex; flex-wrap: wrap; align-items: center; gap: .5rem 1.25rem; padding: .75rem max(.875rem, calc((100% - 70rem) / 2 + 1.25rem)); background: var(--card); border-bottom: 1px solid var(--line); }
.brand { font-weight: 650; }
nav ul { display: flex; flex-wrap: wrap; gap: .25rem; }
nav a { display: block; padding: .4rem .6rem; border-radius: .4rem; color: var(--ink); text-decoration: none; }
nav a:hover { background: var(--track); }
nav a[aria-current] { background: var(--track); font-weight: 600; box-shadow: inset 0 -2px var(--accent); }
.who { display: flex; align-items: center; gap: .6rem; margin-left: auto; }

button { min-height: 2.5rem; padding: .4rem .9rem; font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: .5rem; cursor: pointer; }
button:hover { background: var(--track); }
button.main { color: var(--card); background: var(--accent); border-color: var(--accent); }
button.danger { color: var(--bad); border-color: var(--bad); }
button[aria-disabled="true"] { opacity: .6; cursor: progress; }
.row, .action, .asking { display: inline-flex; flex-wrap: wrap; align-items: end; gap: .6rem; }
.row { display: flex; }
.asking { align-items: center; }
.outcome:not(:empty) { margin-top: .75rem; }
.problem { color: var(--bad); }
form .problem { margin-top: .6rem; }
.field { display: flex; flex-direction: column; gap: .25rem; margin-bottom: .75rem; }
.row > .field { margin-bottom: 0; }
label { font-size: .9375rem; font-weight: 550; }
input, select { width: 100%; min-height: 2.5rem; padding: .4rem .6rem; font: inherit; color: var(--ink); background: var(--paper); border: 1px solid var(--edge); border-radius: .5rem; }
.grid { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 14rem), 1fr)); gap: 0 1rem; align-items: end; }
.grid:has(.field > .soft) { align-items: start; }

.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 11rem), 1fr)); gap: 1rem; margin-bottom: .75rem; }
.figures dt, .facts dt { color: var(--soft); font-size: .9375rem; }
.figures dd { font-size: 1.25rem; font-weight: 600; font-variant-numeric: tabular-nums; }
.facts { margin: .75rem 0; }
.facts > div + div { margin-top: .5rem; }
.secret { margin-bottom: 1rem; padding: .9rem; border: 2px solid var(--accent); border-radius: .5rem; }
.secret code { display: block; margin: .6rem 0; padding: .5rem; background: var(--track); border-radius: .3rem; user-select: all; -webkit-user-select: all; }
.alarms > li + li { margin-top: .4rem; }

.state::before { content: ""; display: inline-block; width: .6rem; height: .6rem; margin-right: .45rem; border-radius: 50%; background: var(--busy); }
.state.good::before { background: var(--good); }
.state.warn::before { background: var(--warn); border-radius: .1rem; }
.state.bad::before { background: var(--bad); border-radius: .1rem; transform: rotate(45deg); }

table { width: 100%; border-collapse: collapse; }
caption { padding-bottom: .5rem; text-align: left; }
thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
tbody tr { display: block; padding: .6rem 0; border-top: 1px solid var(--line); }
td { display: grid; grid-template-columns: 6.75rem minmax(0, 1fr); gap: .75rem; padding: .15rem 0; }
td::before { content: attr(data-column); color: var(--soft); font-size: .9375rem; }
.plot { position: relative; height: 18rem; margin-bottom: 1rem; overflow: hidden; }

@media (min-width: 48rem) {
  main { padding: 1.5rem 1.25rem 4rem; }
  section { padding: 1.25rem; }
  h1 { font-size: 1.75rem; }
  thead { position: static; width: auto; height: auto; clip-path: none; }
  table { display: table; }
  tbody tr { display: table-row; }
  th { padding: .3rem .75rem .3rem 0; text-align: left; font-size: .875rem; font-weight: 550; color: var(--soft); }
  td { display: table-cell; padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line); vertical-align: middle; }
  td::before { content: none; }
  td .state, .when { white-space: nowrap; }
}
@media (prefers-reduced-motion: no-preference) { button { transition: background .12s; } }
`
