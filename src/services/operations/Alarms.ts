/** Every alarm that needs an operator. docs/operating-the-transfer-service.md explains each. */

/** The label `what` of `causeway_alarms_total`. */
export const alarms = [
  "chain-halted",
  "clock-ahead",
  "clock-behind",
  "configuration-contradicted",
  "credit-hidden",
  "deposit-hidden",
  "fill-reverted-by-reorganisation",
  "filled-deposit-gone",
  "filling-died",
  "final-block-replaced",
  "foreign-sweep",
  "inventory-low",
  "lost-deposit",
  "lost-payment",
  "overdue",
  "paid-twice",
  "paid-unknown-order",
  "payment-stuck",
  "payout-died",
  "payout-returned",
  "payout-reverted-by-reorganisation",
  "permit-died",
  "redis",
  "refund-reverted-by-reorganisation",
  "restoration-incomplete",
  "reverted-calls-capped",
  "reverted-permits-capped",
  "secret-unreadable",
  "sequence-used-by-another",
  "settlement-overdue",
  "settlement-refused",
  "settlement-undone",
  "sponsor-hold-missing",
  "sponsored-without-charge",
  "submission-unfollowed",
  "sweep-died",
  "sweep-refused",
  "treasury-empty",
  "unattested-refunds-capped",
  "unmintable-deposit",
  "unrefundable"
] as const

/** One of `alarms`. */
export type Alarm = (typeof alarms)[number]
