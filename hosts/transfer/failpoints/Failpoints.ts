/**
 * Places at which a crash test ends the process: before and after every write to the store and every broadcast, around
 * the ports themselves, so that no service knows of them and none can be forgotten in one.
 *
 * `FAILPOINT=?` tells on stdout which are reached, `FAILPOINT=??` each time that one is; `FAILPOINT=<name>` ends the
 * process there, at once and without any cleaning up. What a write is of is part of a name where one method stands for
 * several steps. SECURITY: outside the local environment there are none.
 */
import { Effect, Layer } from "effect"
import { Bookings } from "../../../ports/store/ledger/Bookings.ts"
import { CallLosses } from "../../../ports/store/ledger/CallLosses.ts"
import { Credits } from "../../../ports/store/ledger/Credits.ts"
import { DepositAddresses } from "../../../ports/store/orders/DepositAddresses.ts"
import { Deposits } from "../../../ports/store/orders/Deposits.ts"
import { Exposures } from "../../../ports/store/orders/Exposures.ts"
import { FinalBlocks } from "../../../ports/store/operations/FinalBlocks.ts"
import { Ledger } from "../../../ports/store/ledger/Ledger.ts"
import { Losses } from "../../../ports/store/ledger/Losses.ts"
import { Pauses } from "../../../ports/store/operations/Pauses.ts"
import { Payments } from "../../../ports/store/orders/Payments.ts"
import type { PaymentPurpose } from "../../../ports/store/orders/Payments.ts"
import { Payouts } from "../../../ports/store/ledger/Payouts.ts"
import { PermitSubmissions } from "../../../ports/store/orders/PermitSubmissions.ts"
import { Promises } from "../../../ports/store/orders/Promises.ts"
import { Settlements } from "../../../ports/store/orders/Settlements.ts"
import { SponsorHolds } from "../../../ports/store/ledger/SponsorHolds.ts"
import { Sweeps } from "../../../ports/store/orders/Sweeps.ts"
import { Transfers } from "../../../ports/store/orders/Transfers.ts"
import { Treasury } from "../../../ports/chain/Treasury.ts"
import { UnattestedRefunds } from "../../../ports/store/ledger/UnattestedRefunds.ts"

const TELL = "?"
const TELL_EACH_TIME = "??"

type Around = (name: string) => <A, E, R>(write: Effect.Effect<A, E, R>) => Effect.Effect<A, E, R>

const around = (failpoint: string): Around => {
  const told = new Set<string>()
  const reach = (place: string) =>
    Effect.suspend(() => {
      if (failpoint === TELL_EACH_TIME || (failpoint === TELL && !told.has(place))) {
        told.add(place)
        process.stdout.write(`failpoint ${place}\n`)
      }
      if (failpoint !== place) return Effect.void
      process.kill(process.pid, "SIGKILL")
      return Effect.never
    })
  return (name) => (write) => Effect.andThen(reach(`${name}:before`), Effect.tap(write, () => reach(`${name}:after`)))
}

/** The leg of a refund or an excess names its deposit as well. */
const kindOf = (leg: PaymentPurpose): string => leg.split(":")[0] ?? leg

const wrapped = (at: Around) => <A, E, R>(parts: Layer.Layer<A, E, R>) =>
  parts.pipe(
    Layer.updateService(Deposits, (deposits): Deposits["Service"] => ({
      ...deposits,
      record: (chainId, cursor, found, seenAt) =>
        // Most scans find nothing; one that has found something is another place.
        at(found.length === 0 ? "Deposits.record nothing" : "Deposits.record")(
          deposits.record(chainId, cursor, found, seenAt)
        ),
      close: (onchainId, sighting, state, when) =>
        at("Deposits.close")(deposits.close(onchainId, sighting, state, when))
    })),
    Layer.updateService(Transfers, (transfers): Transfers["Service"] => ({
      ...transfers,
      add: (transfer) => at("Transfers.add")(transfers.add(transfer)),
      move: (id, change) => at(`Transfers.move ${change.to}`)(transfers.move(id, change))
    })),
    Layer.updateService(Payments, (payments): Payments["Service"] => ({
      ...payments,
      signOnce: (leg, ...rest) => at(`Payments.signOnce ${kindOf(leg)}`)(payments.signOnce(leg, ...rest)),
      replace: (payment, ...rest) => at(`Payments.replace ${kindOf(payment.leg)}`)(payments.replace(payment, ...rest)),
      recordSent: (payment) =>
        at(`Payments.recordSent ${kindOf(payment.leg)}${payment.variants.length > 1 ? " again" : ""}`)(
          payments.recordSent(payment)
        ),
      recordOutcome: (orderId, leg, outcome) =>
        at(`Payments.recordOutcome ${kindOf(leg)}`)(payments.recordOutcome(orderId, leg, outcome)),
      setAside: (payment) => at(`Payments.setAside ${kindOf(payment.leg)}`)(payments.setAside(payment)),
      handOver: (payment, deposit) => at("Payments.handOver")(payments.handOver(payment, deposit))
    })),
    Layer.updateService(Credits, (credits): Credits["Service"] => ({
      ...credits,
      record: (chainId, cursor, arrivals, seenAt) =>
        at(arrivals.length === 0 ? "Credits.record nothing" : "Credits.record")(
          credits.record(chainId, cursor, arrivals, seenAt)
        )
    })),
    Layer.updateService(Payouts, (payouts): Payouts["Service"] => ({
      ...payouts,
      reserve: (payout, movement) => at("Payouts.reserve")(payouts.reserve(payout, movement)),
      close: (id, state, ...rest) => at(`Payouts.close ${state}`)(payouts.close(id, state, ...rest))
    })),
    Layer.updateService(DepositAddresses, (addresses): DepositAddresses["Service"] => ({
      ...addresses,
      noteReindex: (...note) => at("DepositAddresses.noteReindex")(addresses.noteReindex(...note)),
      forgetReindex: (...note) => at("DepositAddresses.forgetReindex")(addresses.forgetReindex(...note))
    })),
    Layer.updateService(Sweeps, (sweeps): Sweeps["Service"] => ({
      ...sweeps,
      queue: (sweep) => at("Sweeps.queue")(sweeps.queue(sweep)),
      name: (id, depositId) => at("Sweeps.name")(sweeps.name(id, depositId)),
      close: (id, round, end, when) => at(`Sweeps.close ${end.state}`)(sweeps.close(id, round, end, when)),
      fail: (id, round) => at("Sweeps.fail")(sweeps.fail(id, round))
    })),
    Layer.updateService(PermitSubmissions, (submissions): PermitSubmissions["Service"] => ({
      ...submissions,
      queue: (submission, cap) => at("PermitSubmissions.queue")(submissions.queue(submission, cap)),
      spend: (id, usdMicros) => at("PermitSubmissions.spend")(submissions.spend(id, usdMicros)),
      close: (id, round, state, when) =>
        at(`PermitSubmissions.close ${state}`)(submissions.close(id, round, state, when)),
      fail: (id, round) => at("PermitSubmissions.fail")(submissions.fail(id, round))
    })),
    Layer.updateService(Settlements, (settlements): Settlements["Service"] => ({
      ...settlements,
      // Most looks find nothing: a claim is a place where there is something.
      conclude: (claimed, conclusion, when) =>
        at(`Settlements.conclude ${conclusion._tag}`)(settlements.conclude(claimed, conclusion, when)),
      submit: (submission, members) => at("Settlements.submit")(settlements.submit(submission, members)),
      placed: (id, when) => at("Settlements.placed")(settlements.placed(id, when)),
      end: (id, end, when) => at("Settlements.end")(settlements.end(id, end, when)),
      undone: (settled, when) => at("Settlements.undone")(settlements.undone(settled, when)),
      reopen: (id, when) => at("Settlements.reopen")(settlements.reopen(id, when))
    })),
    Layer.updateService(Promises, (promises): Promises["Service"] => ({
      ...promises,
      note: (promised) => at("Promises.note")(promises.note(promised)),
      clear: (orderId) => at("Promises.clear")(promises.clear(orderId))
    })),
    Layer.updateService(Exposures, (exposures): Exposures["Service"] => ({
      ...exposures,
      take: (exposure, caps) => at("Exposures.take")(exposures.take(exposure, caps)),
      release: (onchainId) => at("Exposures.release")(exposures.release(onchainId))
    })),
    Layer.updateService(UnattestedRefunds, (unattested): UnattestedRefunds["Service"] => ({
      ...unattested,
      reserve: (refund, cap, when) => at("UnattestedRefunds.reserve")(unattested.reserve(refund, cap, when)),
      decide: (decision) => at("UnattestedRefunds.decide")(unattested.decide(decision))
    })),
    Layer.updateService(CallLosses, (losses): CallLosses["Service"] => ({
      ...losses,
      reserve: (loss, caps, when) => at("CallLosses.reserve")(losses.reserve(loss, caps, when)),
      // By a fill, and by the refund after one that reverted.
      settle: (loss, when) => at("CallLosses.settle")(losses.settle(loss, when))
    })),
    Layer.updateService(Ledger, (ledger): Ledger["Service"] => ({
      ...ledger,
      post: (transaction, when) => at("Ledger.post")(ledger.post(transaction, when))
    })),
    Layer.updateService(FinalBlocks, (finals): FinalBlocks["Service"] => ({
      ...finals,
      remember: (chainId, block) => at("FinalBlocks.remember")(finals.remember(chainId, block))
    })),
    Layer.updateService(SponsorHolds, (holds): SponsorHolds["Service"] => ({
      ...holds,
      hold: (hold, when) => at("SponsorHolds.hold")(holds.hold(hold, when)),
      noteCharge: (request, amountOut, charge) =>
        at("SponsorHolds.noteCharge")(holds.noteCharge(request, amountOut, charge)),
      // Every filling says at its end that it wants nothing; only a refund's comes before money moves.
      release: (request, claimant, when) => at("SponsorHolds.release")(holds.release(request, claimant, when)),
      settle: (settlement, when) => at("SponsorHolds.settle")(holds.settle(settlement, when))
    })),
    Layer.updateService(Bookings, (bookings): Bookings["Service"] => ({
      ...bookings,
      value: (deposit, prices) => at("Bookings.value")(bookings.value(deposit, prices))
    })),
    Layer.updateService(Pauses, (pauses): Pauses["Service"] => ({
      ...pauses,
      add: (pause) => at("Pauses.add")(pauses.add(pause)),
      remove: (id) => at("Pauses.remove")(pauses.remove(id))
    })),
    Layer.updateService(Losses, (losses): Losses["Service"] => ({
      ...losses,
      book: (loss, when) => at(`Losses.book ${loss.kind}`)(losses.book(loss, when)),
      recover: (deposit, kind, when) => at(`Losses.recover ${kind}`)(losses.recover(deposit, kind, when))
    })),
    Layer.updateService(Treasury, (treasury): Treasury["Service"] => ({
      ...treasury,
      broadcast: (chain, signed) => at("Treasury.broadcast")(treasury.broadcast(chain, signed)),
      // A read, but of what another payment is signed after.
      outcome: (chain, variants) =>
        Effect.tap(
          treasury.outcome(chain, variants),
          ({ _tag }) => _tag === "Expired" ? at("Treasury.outcome Expired")(Effect.void) : Effect.void
        )
    }))
  )

/** The host with its failpoints, when there are any. */
export const withFailpoints =
  ({ environment, failpoint }: { readonly environment: string; readonly failpoint: string | undefined }) =>
  <A, E, R>(
    parts: Layer.Layer<A, E, R>
  ): Layer.Layer<
    A,
    E,
    | R
    | Bookings
    | CallLosses
    | Credits
    | DepositAddresses
    | Deposits
    | Exposures
    | FinalBlocks
    | Ledger
    | Losses
    | Pauses
    | Payments
    | Payouts
    | PermitSubmissions
    | Promises
    | Settlements
    | SponsorHolds
    | Sweeps
    | Transfers
    | Treasury
    | UnattestedRefunds
  > => environment === "local" && failpoint !== undefined ? wrapped(around(failpoint))(parts) : parts
