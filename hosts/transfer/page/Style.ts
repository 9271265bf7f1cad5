/** The page's style: one column, for phones first, light and dark by the reader's setting. Contrast is AA or better. */
import { palette } from "./Palette.ts"

export const style = `${palette}
* { box-sizing: border-box; }
html { -webkit-text-size-adjust: 100%; text-size-adjust: 100%; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 1rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif; overflow-wrap: anywhere; }
main { max-width: 43rem; margin: 0 auto; padding: 1.75rem 1.25rem 4rem; }
p, dl, dd, ol, ul, h1, h2 { margin: 0; padding: 0; }
ol, ul { list-style: none; }
.brand { color: var(--soft); font-size: .8125rem; letter-spacing: .04em; }
h1 { display: flex; align-items: center; gap: .65rem; margin-top: .15rem; font-size: 1.75rem; line-height: 1.2; font-weight: 650; letter-spacing: -.015em; }
h2 { margin-bottom: .9rem; font-size: 1.0625rem; font-weight: 650; }
.explanation { margin-top: .35rem; color: var(--soft); }
section { margin-top: 1.25rem; padding: 1.25rem; background: var(--card); border: 1px solid var(--line); border-radius: .75rem; }
section[hidden] { display: none; }
.dot { flex: none; width: .7rem; height: .7rem; border-radius: 50%; background: var(--busy); }
.success .dot { background: var(--good); }
.refund .dot, .delayed .dot { background: var(--warn); }
.failure .dot { background: var(--bad); }
main[data-live="stream"] .dot { animation: breathe 2.4s ease-in-out infinite; }
@keyframes breathe { 50% { opacity: .35; } }
@media (prefers-reduced-motion: reduce) { main[data-live="stream"] .dot { animation: none; } }

.sides { display: grid; grid-template-columns: minmax(0, 1fr) auto minmax(0, 1fr); gap: 1rem; }
.sides dt, .rows dt { color: var(--soft); font-size: .8125rem; }
.sides strong { display: block; font-size: 1.125rem; line-height: 1.3; font-weight: 600; font-variant-numeric: tabular-nums; }
.usd { color: var(--soft); font-size: .9375em; white-space: nowrap; font-variant-numeric: tabular-nums; }
.on { display: block; color: var(--soft); }
.arrow { align-self: center; }
.arrow::before { content: "\\2192"; color: var(--soft); font-size: 1.25rem; }

.steps > li { position: relative; padding: 0 0 1.15rem 1.6rem; }
.steps > li:last-child { padding-bottom: 0; }
.steps > li::before { content: ""; position: absolute; left: .06rem; top: .42rem; width: .7rem; height: .7rem; border-radius: 50%; background: var(--accent); }
.steps > li::after { content: ""; position: absolute; left: .36rem; top: 1.35rem; bottom: -.25rem; width: 1px; background: var(--line); }
.steps > li:last-child::after { display: none; }
.steps > .delivered::before { background: var(--good); }
.steps > .refund::before, .steps > .delayed::before, .steps > .lost::before { background: var(--warn); }
.steps > .failed::before { background: var(--bad); }
.steps > .next::before { background: var(--card); border: 2px solid var(--busy); }
.told { font-weight: 550; }
.amount { font-variant-numeric: tabular-nums; }
.label { color: var(--busy); }
.label::after { content: ":"; }
.when, .note, .why { color: var(--soft); font-size: .9375rem; font-variant-numeric: tabular-nums; }

.whole { font-size: 1.1875rem; font-variant-numeric: tabular-nums; }
.whole .money { font-weight: 600; }
.bar { display: block; width: 100%; height: .5rem; margin: .5rem 0; border-radius: .25rem; background: var(--track); overflow: hidden; }
.bar .sender { fill: var(--accent); }
.bar .sponsor { fill: var(--sponsor); }
.payers { display: flex; flex-wrap: wrap; gap: .1rem 1.25rem; font-size: .9375rem; }
.payer::before { content: ""; display: inline-block; width: .6rem; height: .6rem; margin-right: .45rem; border-radius: .15rem; background: var(--accent); }
.payer.sponsor::before { background: var(--sponsor); }
.payer .money { font-variant-numeric: tabular-nums; }
.parts { margin-top: 1rem; border-top: 1px solid var(--line); }
.parts > li { padding: .8rem 0; border-bottom: 1px solid var(--line); }
.parts:last-child > li:last-child { padding-bottom: 0; border-bottom: 0; }
.parts .bar { height: .3125rem; margin: .4rem 0; }
.name { font-weight: 550; }
.about { color: var(--soft); font-size: .9375rem; }
.note { margin-top: .75rem; }
h2 + .note { margin-top: 0; }
.note + .legs { margin-top: .9rem; }

.legs > li + li { margin-top: 1.25rem; padding-top: 1.25rem; border-top: 1px solid var(--line); }
.legs .rows { margin-top: .75rem; }
.rows > div { display: grid; grid-template-columns: 8rem minmax(0, 1fr); gap: .25rem 1rem; padding: .35rem 0; align-items: baseline; }
.id { display: block; max-width: 100%; font: .8125rem/1.5 ui-monospace, "SF Mono", Menlo, Consolas, "Liberation Mono", monospace; white-space: nowrap; overflow: hidden; user-select: all; -webkit-user-select: all; }
.id > span:first-child { display: inline-block; max-width: calc(100% - 6ch); overflow: hidden; text-overflow: ellipsis; vertical-align: bottom; }
.id > span:last-child { display: inline-block; vertical-align: bottom; }
.copyable { display: flex; align-items: center; gap: .5rem; max-width: 100%; min-width: 0; }
.copyable > :first-child { min-width: 0; }
.exact { font: inherit; font-weight: 600; font-variant-numeric: tabular-nums; user-select: all; -webkit-user-select: all; }
.copy { display: none; flex: none; min-height: 1.5rem; padding: .1rem .5rem; border: 1px solid var(--edge); border-radius: .4rem; background: none; color: var(--accent); font: inherit; font-size: .75rem; cursor: pointer; }
.scripted .copy { display: inline-block; }
.copy:active { background: var(--track); }
.later { white-space: nowrap; }
.payment { display: flex; gap: 1.25rem; align-items: center; }
.payment .rows { flex: 1; min-width: 0; }
.payment .rows > div { grid-template-columns: minmax(0, 1fr); gap: 0; }
.qr { flex: none; width: 11rem; height: 11rem; border-radius: .5rem; background: #ffffff; shape-rendering: crispEdges; }
.qr path { fill: #000000; }
details { margin-top: .9rem; }
summary { width: fit-content; min-height: 1.5rem; color: var(--accent); font-size: .875rem; cursor: pointer; }
#copied:not(:empty) { position: fixed; left: 50%; bottom: 1rem; transform: translateX(-50%); width: max-content; max-width: calc(100vw - 2rem); overflow: hidden; text-overflow: ellipsis; white-space: nowrap; padding: .5rem .9rem; border-radius: .5rem; background: var(--ink); color: var(--paper); }
a { color: var(--accent); text-underline-offset: .2em; }
a.tx { display: block; width: fit-content; max-width: 100%; }
a:focus-visible, .copy:focus-visible, summary:focus-visible { outline: 2px solid var(--accent); outline-offset: 3px; border-radius: .2rem; }
.steps .id { margin-top: .15rem; color: var(--soft); }
.steps a .id { color: inherit; }
.mark::before { content: ""; display: inline-block; width: .6rem; height: .6rem; margin-right: .4rem; border-radius: 50%; background: var(--busy); }
.mark.good::before { background: var(--good); }
.mark.warn::before { background: var(--warn); border-radius: .1rem; }
.mark.bad::before { background: var(--bad); border-radius: .1rem; transform: rotate(45deg); }
.chain { display: flex; gap: .5rem; }
.chain .mark { flex: none; min-width: 5rem; }
.search { display: flex; gap: .5rem; }
.search input { flex: 1; min-width: 0; padding: .5rem .7rem; border: 1px solid var(--soft); border-radius: .5rem; background: var(--paper); color: var(--ink); font: inherit; }
.search button { padding: .5rem 1rem; border: 0; border-radius: .5rem; background: var(--accent); color: var(--paper); font: inherit; font-weight: 600; }
.search input:focus-visible, .search button:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
footer { margin: 1.25rem .25rem 0; min-height: 1.5rem; color: var(--soft); font-size: .875rem; }
.sorry { padding-top: 18vh; }

@media (max-width: 34rem) {
  main { padding: 1.25rem .875rem 3rem; }
  section { padding: 1rem; margin-top: .875rem; }
  h1 { font-size: 1.5rem; }
  .sides strong, .whole { font-size: 1.0625rem; }
  .sides { grid-template-columns: minmax(0, 1fr); gap: .5rem; }
  .payment { flex-direction: column; align-items: stretch; }
  .qr { align-self: center; width: 13rem; height: 13rem; }
  .arrow { align-self: center; }
.arrow::before { content: "\\2193"; }
  .rows > div { grid-template-columns: minmax(0, 1fr); gap: 0; padding: .4rem 0; }
}
@media print { main[data-live] .dot { animation: none; } section { break-inside: avoid; } footer, .scripted .copy { display: none; } }
`
