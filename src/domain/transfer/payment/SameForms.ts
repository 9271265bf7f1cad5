/**
 * Whether a stored payment is still as it was read: the same payment, with no further variant.
 *
 * SECURITY: their number alone does not say so. Meanwhile another process may have found the payment dead, set it aside
 * and signed another one for its purpose. Who judged the first must not take the verdict for one on the second, nor sign
 * a replacement of the first as a variant of the second: both would be paid.
 */
interface Forms {
  /** In the order in which they were signed. None is ever taken away. */
  readonly variants: readonly [{ readonly transactionId: string }, ...ReadonlyArray<unknown>]
}

export const sameForms = (one: Forms, other: Forms): boolean =>
  one.variants.length === other.variants.length && one.variants[0].transactionId === other.variants[0].transactionId
