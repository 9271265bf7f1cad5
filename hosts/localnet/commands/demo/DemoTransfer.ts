/**
 * One transfer from quote to end, through the HTTP API and the chains' nodes only, printed step by step: what a program
 * that embeds the service would do.
 */
import { Clock, Effect } from "effect"
import { LocalnetError } from "../../run/LocalnetError.ts"
import type { Screen } from "../../../cli/Screen.ts"
import type { StatusAnswer } from "./TransferApi.ts"
import { amountText } from "./DemoChain.ts"
import type { Currency, DemoChain } from "./DemoChain.ts"
import { check, named, quote } from "./TransferApi.ts"
import type { OracleAccess } from "./OracleApi.ts"
import { settle } from "./Settlement.ts"
import type { HubAccess } from "./Settlement.ts"
import { told, toldWhenPaid } from "./Sponsored.ts"
import { walletOn } from "./Wallets.ts"
import type { ChainWallet } from "./Wallets.ts"

export interface DemoPlan {
  readonly transferUrl: string
  readonly oracle: OracleAccess
  readonly hub: HubAccess
  readonly from: DemoChain & { readonly currency: Currency }
  readonly to: DemoChain & { readonly currency: Currency }
  /** Smallest unit of the origin currency. */
  readonly amount: bigint
  readonly user: { readonly address: string; readonly privateKey: string }
  /** On the destination. `new`: an account without any history. */
  readonly recipient: string
  /** Pays the fees, including an account's rent. Without a sponsor the user pays. */
  readonly sponsor?: { readonly apiKey: string } | undefined
  /** A deposit that names the order, or a plain payment to an address that was made for it. */
  readonly way: "step" | "deposit-address"
}

const ends = new Set(["success", "refund", "failure"])
const patience = 60_000

const seconds = (milliseconds: number) => `${(milliseconds / 1000).toFixed(2)} s`.padStart(8)

/** Polls until the transfer has ended, and prints every new state. */
const follow = Effect.fnUntraced(function*(
  plan: DemoPlan,
  endpoint: string,
  since: number,
  known: StatusAnswer["status"],
  screen: Screen
) {
  let last = known
  while (true) {
    const answer = yield* check(plan.transferUrl, endpoint)
    const now = (yield* Clock.currentTimeMillis) - since
    if (answer.status !== last) {
      const hash = answer.status === "pending" ? answer.inTxHashes[0] : answer.txHashes[0]
      yield* screen.line(
        `  ${screen.dim(seconds(now))}  ${answer.status.padEnd(10)}${hash === undefined ? "" : screen.dim(hash)}`
          .trimEnd()
      )
      last = answer.status
    }
    if (ends.has(answer.status)) return answer
    if (now > patience) {
      return yield* new LocalnetError({
        message: `the transfer is still ${answer.status} after ${
          patience / 1000
        } s; look again at ${plan.transferUrl}${endpoint}`
      })
    }
    // Short, because some states last only milliseconds and all should be seen.
    yield* Effect.sleep(5)
  }
})

/** Requests the quote and prints it. */
const askQuote = Effect.fnUntraced(function*(plan: DemoPlan, recipient: string, screen: Screen) {
  const { from, sponsor, to, user, way } = plan
  const asked = yield* Clock.currentTimeMillis
  const answer = yield* quote(plan.transferUrl, {
    user: user.address,
    recipient,
    originChainId: from.chainId,
    destinationChainId: to.chainId,
    originCurrency: from.currency.address,
    destinationCurrency: to.currency.address,
    amount: plan.amount.toString(),
    tradeType: "EXACT_INPUT",
    includeProtocolData: true,
    ...(way === "step" ? {} : { useDepositAddress: true, refundTo: user.address }),
    ...(sponsor === undefined
      ? {}
      : { subsidizeFees: true, ...(to.vmType === "solana-vm" ? { subsidizeRent: true } : {}) })
  }, sponsor?.apiKey)
  const { currencyIn, currencyOut } = answer.details
  const quoted = (yield* Clock.currentTimeMillis) - asked
  yield* screen.line(
    `  quote: ${currencyIn.amountFormatted} ${currencyIn.currency.symbol} on ${from.id} for ` +
      `${currencyOut.amountFormatted} ${currencyOut.currency.symbol} on ${to.id} ${screen.dim(`(${quoted} ms)`)}`
  )
  if (sponsor !== undefined) yield* told(answer, screen)
  const requestId = answer.steps.find((step) => step.requestId !== undefined)?.requestId
  if (requestId !== undefined) yield* screen.line(`  page:  ${plan.transferUrl}/requests/${requestId}`)
  return answer
})

type QuoteAnswer = Effect.Success<ReturnType<typeof askQuote>>

/** Where fees are taken of the money that moves, and what users pay each other is shown to these alone. */
const isExchange = ({ vmType }: DemoChain): boolean => vmType === "exchangea-vm" || vmType === "exchangeb-vm"

/**
 * Sends every transaction of the quote and follows the request to its end. Returns the cost of the gas, and the final
 * state.
 */
const carryOut = Effect.fnUntraced(
  function*(plan: DemoPlan, origin: ChainWallet, { steps }: QuoteAnswer, screen: Screen) {
    const { from, user } = plan
    const endpoint = steps.flatMap((step) => step.items).find((item) => item.check !== undefined)?.check?.endpoint
    if (endpoint === undefined) return yield* new LocalnetError({ message: "no step of the quote can be checked" })

    const started = yield* Clock.currentTimeMillis
    const first = yield* check(plan.transferUrl, endpoint)
    yield* screen.line(`  ${screen.dim(seconds(0))}  ${first.status}`)
    let gas = 0n
    let final: StatusAnswer = first
    for (const step of steps) {
      for (const item of step.items) {
        const hash = yield* origin.send(user.privateKey, item.data)
        yield* screen.line(
          `  ${screen.dim(seconds((yield* Clock.currentTimeMillis) - started))}  ${
            hash === undefined ? "signed" : `sent      ${screen.dim(hash)}`
          }`
        )
        if (hash === undefined) continue
        // Nobody lists what users of an exchange pay each other, so the service is told of it.
        if (step.id === "send" && isExchange(from)) yield* named(plan.transferUrl, from.chainId, hash)
        const receipt = origin.mined(hash).pipe(
          Effect.filterOrFail(
            ({ succeeded }) => succeeded,
            () => new LocalnetError({ message: `the ${step.id} transaction ${hash} reverted on ${from.id}` })
          )
        )
        const followed = item.check === undefined
          ? Effect.succeed(first)
          : follow(plan, item.check.endpoint, started, first.status, screen)
        const [{ gasCost }, status] = yield* Effect.all([receipt, followed], { concurrency: 2 })
        gas += gasCost
        final = status
      }
    }
    if (final.status !== "success") {
      return yield* new LocalnetError({
        message: `the transfer ended as ${final.status}: ${final.failReason ?? "no reason given"}`
      })
    }
    return { gas, final }
  }
)

/** Runs the transfer and prints it. Errors: anything that keeps it from `success`. */
export const run = Effect.fn("DemoTransfer.run")(function*(plan: DemoPlan, screen: Screen) {
  const { from, sponsor, to, user } = plan
  const [origin, destination] = yield* Effect.all([walletOn(from, plan.transferUrl), walletOn(to, plan.transferUrl)])
  const recipient = plan.recipient === "new" ? yield* destination.newAddress : plan.recipient
  const answer = yield* askQuote(plan, recipient, screen)
  const before = yield* Effect.all({
    left: origin.balance(from.currency.address, user.address),
    arrived: destination.balance(to.currency.address, recipient)
  })
  const { final, gas } = yield* carryOut(plan, origin, answer, screen)
  const { currencyIn, currencyOut } = answer.details
  // The wallet's own gas is not part of the transfer, although the same account paid it: on an exchange from the same money.
  const ownGas = from.currency.address === from.native.address || isExchange(from) ? gas : 0n
  const after = yield* Effect.all({
    left: origin.balance(from.currency.address, user.address),
    arrived: destination.balance(to.currency.address, recipient)
  })
  const left = before.left - after.left - ownGas
  const arrived = after.arrived - before.arrived
  yield* screen.line(
    `  left    ${amountText(left, from.currency)} (and ${
      amountText(gas, from.native)
    } for gas) from ${user.address} on ${from.id}`
  )
  yield* screen.line(`  arrived ${amountText(arrived, to.currency)} at ${recipient} on ${to.id}`)
  if (left !== BigInt(currencyIn.amount) || arrived !== BigInt(currencyOut.amount)) {
    return yield* new LocalnetError({
      message:
        `quoted were ${currencyIn.amountFormatted} ${currencyIn.currency.symbol} in and ${currencyOut.amountFormatted} ${currencyOut.currency.symbol} out, ` +
        `but ${amountText(left, from.currency)} left and ${amountText(arrived, to.currency)} arrived`
    })
  }
  // Without a deposit the user has paid the recipient itself, and there is nothing to settle.
  if (from.id === to.id && answer.steps.every(({ id }) => id !== "deposit")) {
    return { left, arrived, gas, settled: undefined }
  }
  const [deposit] = final.inTxHashes
  const [fill] = final.txHashes
  if (deposit === undefined || fill === undefined) {
    return yield* new LocalnetError({ message: "the status names no transactions" })
  }
  const { orderData: order, orderSignature } = answer.protocol.v2
  const settled = yield* settle(plan.hub, plan.oracle, plan.transferUrl, {
    from: from.id,
    order,
    orderSignature,
    deposit,
    fill,
    deposited: left,
    currency: from.currency
  }, screen)
  if (sponsor !== undefined) yield* toldWhenPaid(plan.transferUrl, deposit, screen)
  return { left, arrived, gas, settled }
})
