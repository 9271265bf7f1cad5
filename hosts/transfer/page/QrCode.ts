/**
 * A QR code as one SVG path, drawn by the server. It is dark on white in both schemes: many readers do not find an
 * inverted one.
 */
import { encode } from "uqr"
import { html } from "./Html.ts"
import type { Html } from "./Html.ts"

/** Modules of quiet zone on each side (ISO/IEC 18004). */
const QUIET_ZONE = 4

/** The dark modules of one row, as horizontal runs. */
const runs = (row: ReadonlyArray<boolean>, y: number): string =>
  [...row.map((isDark) => isDark ? "1" : "0").join("").matchAll(/1+/gu)]
    .map(({ 0: { length }, index }) => `M${index} ${y}h${length}v1h-${length}z`)
    .join("")

/** `label` says to those who cannot see it what the code holds. */
export const qrCode = (text: string, label: string): Html => {
  const { data, size } = encode(text, { ecc: "M", border: QUIET_ZONE })
  return html`<svg class="qr" role="img" aria-label="${label}" viewBox="0 0 ${size} ${size}"><path d="${
    data.map(runs).join("")
  }"></path></svg>`
}
