/**
 * Every family of the running network to every other, at the same time: each transfer is quoted, paid, delivered to a
 * new account and settled on the hub, and compared to the unit. Through the HTTP API and the chains' nodes only.
 */
import { Clock, Effect, Result, Semaphore } from "effect"
import { LocalnetError } from "../../../run/LocalnetError.ts"
import { table } from "../../../../cli/Screen.ts"
import type { Screen } from "../../../../cli/Screen.ts"
import { ended, pay, requestOf, settledOf } from "../ClientTransfer.ts"
import { amountText } from "../DemoChain.ts"
import type { DemoChain } from "../DemoChain.ts"
import { gaveSolver } from "../Settlement.ts"
import { quote } from "../TransferApi.ts"
import { walletOn } from "../Wallets.ts"
import type { ChainWallet } from "../Wallets.ts"
import type { MatrixOrigin, MatrixPlan } from "./MatrixPlan.ts"

/** A pair that has not ended then has failed. */
const PATIENCE = "4 minutes"

type Wallets = ReadonlyMap<string, ChainWallet>

interface Pair {
  readonly plan: MatrixPlan
  readonly wallets: Wallets
  readonly origin: MatrixOrigin
  readonly to: DemoChain
}

const walletFor = (wallets: Wallets, { id }: DemoChain) => {
  const wallet = wallets.get(id)
  return wallet === undefined ? Effect.die(new Error(`no wallet on ${id}`)) : Effect.succeed(wallet)
}

/** Quoted and paid: the payment is in a block, so that the account's next one can build on it. */
const paidOn = Effect.fnUntraced(
  function*({ origin: { amount, chain, user }, plan: { transferUrl }, to, wallets }: Pair) {
    const wallet = yield* walletFor(wallets, chain)
    const recipient = yield* Effect.flatMap(walletFor(wallets, to), ({ newAddress }) => newAddress)
    const quoted = yield* quote(transferUrl, {
      user: user.address,
      recipient,
      originChainId: chain.chainId,
      destinationChainId: to.chainId,
      originCurrency: chain.native.address,
      destinationCurrency: to.native.address,
      amount: `${amount}`,
      tradeType: "EXACT_INPUT",
      includeProtocolData: true
    })
    yield* pay(wallet, user.privateKey, quoted)
    return { quoted, recipient, since: yield* Clock.currentTimeMillis }
  }
)

/** Delivered and settled, each compared to the unit. Milliseconds since the payment. */
const finished = Effect.fnUntraced(
  function*(
    { origin: { amount, chain }, plan: { hub, transferUrl }, to, wallets }: Pair,
    { quoted, recipient, since }: Effect.Success<ReturnType<typeof paidOn>>
  ) {
    const request = requestOf(quoted)
    const { failReason, status } = yield* ended(transferUrl, request)
    if (status !== "success") {
      return yield* new LocalnetError({ message: `it ended as ${status}: ${failReason ?? "no reason given"}` })
    }
    const delivered = (yield* Clock.currentTimeMillis) - since
    const out = BigInt(quoted.details.currencyOut.amount)
    const arrived = yield* Effect.flatMap(walletFor(wallets, to), (of) => of.balance(to.native.address, recipient))
    if (arrived !== out) {
      return yield* new LocalnetError({
        message: `quoted were ${amountText(out, to.native)}, and ${amountText(arrived, to.native)} arrived`
      })
    }
    const [settlement] = yield* settledOf(transferUrl, request)
    if (settlement?.state !== "settled" || settlement.txHash === null) {
      return yield* new LocalnetError({ message: `its deposit is ${settlement?.state ?? "unknown"} on the hub` })
    }
    if (!(yield* gaveSolver(hub, quoted.protocol.v2.orderData, settlement.txHash, amount))) {
      return yield* new LocalnetError({
        message: `deposited were ${amountText(amount, chain.native)}, and the hub did not give the solver as much`
      })
    }
    return { delivered, settled: (yield* Clock.currentTimeMillis) - since, arrived }
  }
)

const seconds = (milliseconds: number): string => `${(milliseconds / 1_000).toFixed(1)} s`

interface Walked {
  readonly from: string
  readonly to: string
  readonly result: Result.Result<Effect.Success<ReturnType<typeof finished>>, LocalnetError>
}

/** Counts what is under way on one line of the terminal. */
const counting = (plan: MatrixPlan, screen: Screen) => {
  const all = plan.origins.reduce((sum, { destinations }) => sum + destinations.length, 0)
  let [paid, done] = [0, 0]
  const show = Effect.suspend(() => screen.progress(`  ${paid} of ${all} paid, ${done} settled`))
  return {
    show,
    paid: Effect.suspend(() => {
      paid += 1
      return show
    }),
    ended: (text: string) =>
      Effect.suspend(() => {
        done += 1
        return Effect.andThen(screen.line(`  ${`${done}/${all}`.padStart(6)}  ${text}`), show)
      })
  }
}

/** The pairs of one origin: paid one after the other, because one account pays, and followed all at once. */
const fromOne = Effect.fnUntraced(
  function*(
    plan: MatrixPlan,
    wallets: Wallets,
    origin: MatrixOrigin,
    count: ReturnType<typeof counting>,
    screen: Screen
  ) {
    const turn = yield* Semaphore.make(1)
    const { amount, chain } = origin
    return yield* Effect.forEach(
      origin.destinations,
      Effect.fnUntraced(function*(to) {
        const pair: Pair = { plan, wallets, origin, to }
        const walked = Effect.gen(function*() {
          const paid = yield* turn.withPermit(Effect.tap(paidOn(pair), count.paid))
          return yield* finished(pair, paid)
        })
        const result = yield* Effect.result(
          Effect.timeoutOrElse(walked, {
            duration: PATIENCE,
            orElse: () => Effect.fail(new LocalnetError({ message: `it has not ended after ${PATIENCE}` }))
          })
        )
        const way = `${chain.id} → ${to.id}`.padEnd(36)
        yield* count.ended(Result.match(result, {
          onSuccess: ({ arrived, delivered, settled }) =>
            `${way}${amountText(amount, chain.native)} for ${amountText(arrived, to.native)} ${
              screen.dim(`delivered in ${seconds(delivered)}, settled in ${seconds(settled)}`)
            }`,
          onFailure: ({ message }) => `${way}${screen.bad(message)}`
        }))
        return { from: chain.id, to: to.id, result } satisfies Walked
      }),
      { concurrency: "unbounded" }
    )
  }
)

/** Walks all pairs and prints each as it ends, then how long each took to settle. Fails unless all did. */
export const runMatrix = Effect.fn("MatrixDemo.run")(function*(plan: MatrixPlan, screen: Screen) {
  const wallets = new Map(
    yield* Effect.forEach(
      plan.chains,
      (chain) => Effect.map(walletOn(chain, plan.transferUrl), (wallet) => [chain.id, wallet] as const)
    )
  )
  const count = counting(plan, screen)
  yield* count.show
  const walked = yield* Effect.forEach(
    plan.origins,
    (origin) => fromOne(plan, wallets, origin, count, screen),
    { concurrency: "unbounded" }
  )
  const all = walked.flat()
  const cell = (from: string, to: string): string => {
    const found = all.find((each) => each.from === from && each.to === to)
    return found === undefined
      ? "–"
      : Result.match(found.result, { onSuccess: ({ settled }) => seconds(settled), onFailure: () => "failed" })
  }
  const ids = plan.chains.map(({ id }) => id)
  yield* screen.line()
  yield* screen.line("  settled after the payment, by origin and destination:")
  const rows = table([["", ...ids], ...ids.map((from) => [from, ...ids.map((to) => cell(from, to))])])
  yield* Effect.forEach(rows, (row) => screen.line(`  ${row}`), { discard: true })
  const failed = all.filter(({ result }) => Result.isFailure(result)).map(({ from, to }) => `${from} → ${to}`)
  if (failed.length > 0) return yield* new LocalnetError({ message: `not all pairs settled: ${failed.join(", ")}` })
  return all.flatMap(({ from, result, to }) => Result.isSuccess(result) ? [{ from, to, ...result.success }] : [])
})
