/**
 * Steps that are retried until they succeed: the label `step` of `causeway_step_defects_total` and
 * `causeway_retries_total`.
 */

/** Steps that a process has once. */
export const steps = [
  "ages of heads",
  "backlog",
  "clock",
  "close",
  "confirm",
  "credits",
  "decide",
  "decide.again",
  "deposit addresses: a generation",
  "deposit addresses: the seed",
  "excess.guard",
  "excess.pay",
  "fill.guard",
  "fill.pay",
  "forgetting ended work",
  "forgetting old webhooks",
  "forgetting past spending",
  "forgetting stored answers",
  "forgetting unpaid quotes",
  "dropping unpaid deposit addresses",
  "load",
  "noting a webhook",
  "open payouts",
  "payout.close",
  "payout.guard",
  "payout.leg",
  "payout.load",
  "payout.pay",
  "permit.close",
  "permit.guard",
  "permit.leg",
  "permit.load",
  "permit.make",
  "permits to guard",
  "picking up noted deposits",
  "queued permits",
  "queued sweeps",
  "refund.guard",
  "refund.kept",
  "refund.pay",
  "settlement.adopt",
  "settlement.follow",
  "settlement.gather",
  "settlement.look-back",
  "settlement.position",
  "settlement.show",
  "settlement.submit",
  "settling what was paid since the backup",
  "streams of statuses",
  "sweep of open deposits",
  "sweep.close",
  "sweep.guard",
  "sweep.leg",
  "sweep.load",
  "sweep.make",
  "sweep.order",
  "sweeps to guard",
  "the stock of deposit addresses",
  "watchdog",
  "webhooks"
] as const

/** Steps that a process has for each chain. The chain's slug follows. */
export const stepsOfChains = [
  "beginning of scans on",
  "deposit addresses on",
  "final blocks of",
  "heads of",
  "inventory of",
  "sends on",
  "watching"
] as const

/** A step's name. No name holds data of a request. */
export type Step = (typeof steps)[number] | `${(typeof stepsOfChains)[number]} ${string}`
