/** Holes that are planted into the treasury of Bitcoin: each is a mistake of its rules. The simulation must find them. */
import { Effect, Layer } from "effect"
import type { Payment } from "../../../ports/chain/PaymentKinds.ts"
import { DepositWatcher } from "../../../ports/chain/DepositWatcher.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import type { Claimant, SignedWithClaims } from "../../../ports/chain/Treasury.ts"
import type { Hole } from "../holes/Hole.ts"

type Ports = Treasury["Service"]

const wrapped = (wrap: (real: Ports) => Ports): Hole =>
  Layer.merge(Layer.effect(DepositWatcher, DepositWatcher), Layer.effect(Treasury, Effect.map(Treasury, wrap)))

/** Wraps what is signed for a payment that claims coins. Payments on ledgers claim nothing. */
const signing = (
  real: Ports,
  payment: Payment,
  sign: (
    real: (others: ReadonlyArray<Claimant>) => Effect.Effect<SignedWithClaims>,
    others: ReadonlyArray<Claimant>
  ) => Effect.Effect<SignedWithClaims>
): ReturnType<Ports["prepare"]> =>
  Effect.map(real.prepare(payment), (prepared) =>
    prepared.claimable === undefined ? prepared : {
      ...prepared,
      sign: (sequence, others) => sign((given) => Effect.orDie(prepared.sign(sequence, given)), others)
    })

/** Two payments take one coin: what others claim is not looked at, and nothing is claimed. */
const claimsIgnored = wrapped((real) => ({
  ...real,
  prepare: (payment) => signing(real, payment, (sign) => Effect.map(sign([]), (signed) => ({ ...signed, claims: [] })))
}))

/** A payment that no node shows counts as dead, and is signed again with other coins. */
const deadUnproven = wrapped((real) => ({
  ...real,
  outcome: (chain, variants, by) =>
    Effect.map(
      real.outcome(chain, variants, by),
      (outcome) => outcome._tag === "Unseen" ? { _tag: "Superseded" } : outcome
    )
}))

/** Only the newest form of a payment is looked for. When a block takes an older one, the payment counts as dead. */
const olderFormsForgotten = wrapped((real) => ({
  ...real,
  outcome: (chain, variants, by) => real.outcome(chain, [variants.at(-1) ?? variants[0]], by)
}))

/** A replacement spends other coins than the payment that it replaces. */
const replacedByOtherCoins = wrapped((real) => {
  const payments = new Map<string, { readonly payment: Payment; readonly signed: SignedWithClaims }>()
  return {
    ...real,
    prepare: (payment) =>
      signing(real, payment, (sign, others) =>
        Effect.tap(sign(others), (signed) =>
          Effect.sync(() => {
            payments.set(signed.transactionId, { payment, signed })
          }))),
    replacing: (chain) => {
      const replacing = real.replacing(chain)
      return replacing === undefined ? undefined : {
        ...replacing,
        judge: (of, waiting, bounds, now) =>
          Effect.map(replacing.judge(of, waiting, bounds, now), (judged) => {
            const known = payments.get(waiting.variants[0].transactionId)
            if (judged._tag !== "Replace" || known === undefined) return judged
            const { payment, signed } = known
            const anew = Effect.flatMap(
              Effect.orDie(real.prepare(payment)),
              ({ sign }) => Effect.orDie(sign(0n, [{ ...signed, claims: signed.claims ?? [] }]))
            )
            return { ...judged, whole: Effect.map(judged.whole, (whole) => ({ ...whole, sign: anew })) }
          })
      }
    }
  }
})

export const coinHoles = { claimsIgnored, deadUnproven, olderFormsForgotten, replacedByOtherCoins }
