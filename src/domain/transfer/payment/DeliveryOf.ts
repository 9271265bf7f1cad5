/**
 * The payment by which an order is delivered: its fill, or its fallback where the fill's swap could not be made.
 *
 * There are both where the fill reverted on the chain. What reverted delivers nothing: it is named only where nothing
 * else was paid.
 */

/** What of a payment this depends on. */
export interface DeliveringPayment {
  /** As in `ports/Payments`. */
  readonly leg: string
  readonly state: string
}

export const deliveryOf = <P extends DeliveringPayment>(payments: ReadonlyArray<P>): P | undefined => {
  const named = (name: string) => payments.find(({ leg }) => leg === name)
  const [fill, fallback] = [named("fill"), named("fallback")]
  return fallback === undefined || (fallback.state === "reverted" && fill !== undefined && fill.state !== "reverted")
    ? fill
    : fallback
}
