/**
 * The payment that delivers an order: its fill, or its fallback if the fill's swap could not be made.
 *
 * Both exist when the fill reverted on chain. A reverted payment delivers nothing, so it is named only when there is no
 * other.
 */

/** The fields of a payment that this depends on. */
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
