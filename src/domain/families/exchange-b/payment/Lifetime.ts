/** How long exchange B may execute a signed transfer (EXCHANGEB-21). Milliseconds of the exchange's clock. Pure. */

/** From the signature to ExpiredAt, as the exchange's public clients sign. */
export const LIFETIME_MS = 599_000

/** An executed transfer is shown that late at most, after the exchange's clock has passed its ExpiredAt. */
export const EXPIRY_MARGIN_MS = 300_000

/** The exchange has not executed it by now unless it shows it, and never will. `now` was read before the transfer. */
export const isOver = ({ expiredAt }: { readonly expiredAt: number }, now: number): boolean =>
  now > expiredAt + EXPIRY_MARGIN_MS
