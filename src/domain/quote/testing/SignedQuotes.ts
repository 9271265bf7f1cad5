/** Valid quotes as a service would answer them, built from the domain alone: for tests of what clients check. */
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { encodeFunctionData, parseAbi } from "viem"
import type { Hex } from "viem"
import { Hex32 } from "../../encoding/Hex.ts"
import { computeDepositAddress } from "../../deposit-address/DepositAddress.ts"
import { accountOfKey } from "../../encoding/Signature.ts"
import { findChainBySlug } from "../../chain/Chain.ts"
import type { Chain } from "../../chain/Chain.ts"
import type { ChainSlug } from "../../chain/ChainId.ts"
import { convertFloor, unitsForUsdFloor } from "../../money/Currency.ts"
import type { PricedCurrency } from "../../money/Currency.ts"
import { Order, OrderId } from "../../order/Order.ts"
import { orderId } from "../../order/OrderId.ts"
import { signOrder } from "../../order/OrderSignature.ts"
import { totalAppBps } from "../pricing/AppFees.ts"
import { assembleQuote } from "../assemble/AssembleQuote.ts"
import { buildOrder } from "../assemble/BuildOrder.ts"
import { priceRequest } from "../pricing/PriceRequest.ts"
import { QuoteRequest } from "../request/QuoteRequest.ts"
import { resolveRequest } from "../request/ResolveRequest.ts"
import type { ResolvedRequest } from "../request/ResolveRequest.ts"
import { Quote } from "../wire/Quote.ts"
import type { Step } from "../wire/Step.ts"
import type { PricedRequest } from "../pricing/PriceRequest.ts"
import { isSend, priceSend } from "../Send.ts"
import { askOf, isUserSwap, priceUserSwap } from "../UserSwap.ts"
import { bitcoinDepositAddress, bitcoinFee, bitcoinTransaction } from "./BitcoinSteps.ts"
import { chains, priced, solanaPayer } from "./Chains.ts"
import { solanaSend, solanaSwap, solanaTransaction, solanaTransfer } from "./SolanaSteps.ts"

const key = Hex32.make(`0x${"11".repeat(32)}`)
export const solver = Result.getOrThrow(accountOfKey(key))
export const now = 1_800_000_000
export const settlement = "alpha"
const requestId = `0x${"7".repeat(64)}`

const abi = parseAbi([
  "function depositNative(address depositor, bytes32 id)",
  "function depositErc20(address depositor, address token, uint256 amount, bytes32 id)",
  "function approve(address spender, uint256 amount)",
  "function transfer(address to, uint256 amount)"
])

const asHex = (text: string): Hex => `0x${text.slice(2)}`

const transaction = ({ origin, user }: ResolvedRequest, to: string, data: string, value: bigint) => ({
  from: user,
  to,
  data,
  value: value.toString(),
  chainId: origin.id,
  gas: "50000",
  maxFeePerGas: "2000000000",
  maxPriorityFeePerGas: "1000000000"
})

/** The steps, encoded by viem: an encoder independent of the one under test. */
const stepsOf = (request: ResolvedRequest, id: Hex, amount: bigint, explicit: boolean): ReadonlyArray<Step> => {
  const { origin: { depository }, originCurrency: { address: token, isNative }, user } = request
  const spending = [asHex(depository), amount] as const
  const deposit = isNative
    ? transaction(
      request,
      depository,
      encodeFunctionData({ abi, functionName: "depositNative", args: [asHex(user), id] }),
      amount
    )
    : explicit
    ? transaction(
      request,
      depository,
      encodeFunctionData({ abi, functionName: "depositErc20", args: [asHex(user), asHex(token), amount, id] }),
      0n
    )
    : transaction(
      request,
      token,
      encodeFunctionData({ abi, functionName: "transfer", args: spending }) + id.slice(2),
      0n
    )
  const approve = transaction(request, token, encodeFunctionData({ abi, functionName: "approve", args: spending }), 0n)
  const common = { action: "Confirm", kind: "transaction" as const, requestId }
  const depositStep: Step = {
    ...common,
    id: "deposit",
    description: "Deposit",
    items: [{
      status: "incomplete",
      data: deposit,
      check: { endpoint: `/intents/status?requestId=${requestId}`, method: "GET" }
    }]
  }
  return isNative || !explicit
    ? [depositStep]
    : [
      { ...common, id: "approve", description: "Approve", items: [{ status: "incomplete", data: approve }] },
      depositStep
    ]
}

/** The single step for a deposit address: a transfer that does not mention its order. */
const addressStep = (request: ResolvedRequest, id: Hex, amount: bigint): Step => {
  const { depositAddress: asked, originCurrency: { address: token, isNative } } = request
  const depositAddress = Result.getOrThrow(
    computeDepositAddress({ depositor: asked!.depositor, factory: asked!.factory!, orderId: OrderId.make(id) })
  )
  const data = isNative
    ? transaction(request, depositAddress, "0x", amount)
    : transaction(
      request,
      token,
      encodeFunctionData({ abi, functionName: "transfer", args: [asHex(depositAddress), amount] }),
      0n
    )
  const check = { endpoint: `/intents/status?requestId=${requestId}`, method: "GET" as const }
  return {
    id: "deposit",
    action: "Confirm",
    kind: "transaction",
    requestId,
    description: "Deposit",
    depositAddress,
    items: [{ status: "incomplete", data, check }]
  }
}

/** The deposit address of orders on Solana: one of the tests' known addresses. */
export const solanaDepositAddress = solanaPayer

/** The cost of one signature, plus what the vault's account must hold when the user opens it. */
const solanaGas = ({ depositAddress, depositFeePayer, originCurrency }: ResolvedRequest, opens: boolean): bigint => {
  if (depositFeePayer !== undefined) return 0n
  return (opens || depositAddress !== undefined) && !originCurrency.isNative ? 2_044_280n : 5_000n
}

/** The step's id, its transaction, and its deposit address if it has one. */
const solanaWay = (request: ResolvedRequest, id: Hex, { amountIn, amountOut, slippage }: Exchange, opens: boolean) => {
  if (request.depositAddress !== undefined) {
    return {
      id: "deposit" as const,
      depositAddress: solanaDepositAddress,
      data: solanaTransfer(request, solanaDepositAddress, amountIn)
    }
  }
  if (isSend(request)) return { id: "send" as const, data: solanaSend(request, id, amountIn, opens) }
  if (isUserSwap(request)) return { id: "swap" as const, data: solanaSwap(request, id, amountIn, amountOut, slippage) }
  return { id: "deposit" as const, data: solanaTransaction(request, id, amountIn, opens) }
}

interface Exchange {
  readonly amountIn: bigint
  readonly amountOut: bigint
  readonly slippage: bigint
}

/** The step's id, its PSBT, and its deposit address if it has one. */
const bitcoinWay = (request: ResolvedRequest, id: Hex, { amountIn }: Exchange) => {
  if (request.depositAddress !== undefined) {
    return {
      id: "deposit" as const,
      depositAddress: bitcoinDepositAddress,
      data: bitcoinTransaction(request, bitcoinDepositAddress, amountIn, undefined)
    }
  }
  const sent = isSend(request)
  const payee = sent ? request.recipient : request.origin.depository
  return { id: sent ? "send" as const : "deposit" as const, data: bitcoinTransaction(request, payee, amountIn, id) }
}

const onlyStep = ({ data, ...way }: ReturnType<typeof solanaWay | typeof bitcoinWay>): Step => ({
  ...way,
  action: "Confirm",
  kind: "transaction",
  requestId,
  description: "Deposit",
  items: [{
    status: "incomplete",
    data,
    check: { endpoint: `/intents/status?requestId=${requestId}`, method: "GET" }
  }]
})

/** The price from a source that gives the market rate: SOL at 2,000 dollars, tokens at one. */
const swapped = (request: ResolvedRequest, origin: PricedCurrency, destination: PricedCurrency): PricedRequest => {
  const ask = askOf(request)
  const [amountIn, amountOut] = ask.exact === "in"
    ? [ask.amount, convertFloor(ask.amount, origin, destination)]
    : [convertFloor(ask.amount, destination, origin), ask.amount]
  const quote = {
    source: "jupiter" as const,
    router: request.user,
    ask,
    amountIn,
    amountOut,
    gas: 5_000n,
    path: { tokens: [], fees: [] }
  }
  return Result.getOrThrow(priceUserSwap(request, quote, { from: origin, to: destination, native: origin }))
}

/**
 * The answer to a request, as JSON. `opens`: the vault, or the recipient, has no account yet for the paid currency, on
 * a chain where one is needed.
 */
export const answer = (body: unknown, opens = false, on: ReadonlyArray<Chain> = chains): unknown => {
  const sent = Schema.decodeUnknownSync(QuoteRequest)(body)
  const request = Result.getOrThrow(resolveRequest(sent, on))
  const facts = {
    origin: priced(request.originCurrency, request.originCurrency.isNative ? "2000" : "1"),
    destination: priced(request.destinationCurrency, request.destinationCurrency.isNative ? "2000" : "1"),
    originNative: priced(request.origin.native, "2000"),
    destinationNative: priced(request.destination.native, "2000")
  }
  const { minimumOut, priced: price, slippage } = isSend(request) ?
    priceSend(request) :
    isUserSwap(request) ?
    swapped(request, facts.origin, facts.destination) :
    Result.getOrThrow(priceRequest({
      ...facts,
      fillGas: request.destination.family.name === "solana-vm" ? 5_000n : 10n ** 13n,
      topup: request.topup,
      appBps: totalAppBps(request.appFees),
      sponsorship: request.sponsorship &&
        {
          selection: request.sponsorship.selection,
          sponsor: { _tag: "Key", cap: request.sponsorship.cap },
          kind: request.depositAddress === undefined ? "direct" : "deposit-address"
        }
    }, request))
  const topupUnits = request.topup === undefined ? 0n : unitsForUsdFloor(request.topup, facts.destinationNative)
  const order = Result.getOrThrow(buildOrder(request, {
    settlement: chains[0]!.slug,
    solver,
    salt: Hex32.make(`0x${"5a".repeat(32)}`),
    now,
    amountIn: price.amountIn,
    amountOut: price.amountOut,
    minimumOut,
    topup: topupUnits,
    originRefundGas: 10n,
    destinationRefundGas: 10n,
    fees: 10n
  }))
  const id = Result.getOrThrow(orderId(order, (slug: ChainSlug) => findChainBySlug(chains, slug)?.family))
  const onSolana = request.origin.family.name === "solana-vm"
  const exchange = { amountIn: price.amountIn, amountOut: price.amountOut, slippage }
  const onBitcoin = request.origin.family.name === "bitcoin-vm"
  const steps = onSolana || onBitcoin ?
    [onlyStep(onSolana ? solanaWay(request, id, exchange, opens) : bitcoinWay(request, id, exchange))] :
    sent.useDepositAddress === true
    ? [addressStep(request, id, price.amountIn)]
    : stepsOf(request, id, price.amountIn, sent.explicitDeposit ?? true)
  const quote = assembleQuote({
    ...facts,
    request,
    priced: price,
    minimumOut,
    slippage,
    leastRefund: order.inputs[0]!.refunds[0]!.minimumAmount,
    leastOnDestination: request.refundOnOrigin ? undefined : order.inputs[0]!.refunds[1]!.minimumAmount,
    originGas: onBitcoin
      ? bitcoinFee
      : onSolana
      ? solanaGas(request, opens)
      : BigInt(steps.length) * 50_000n * 2_000_000_000n,
    userBalance: 0n,
    timeEstimateSeconds: 3,
    topupUnits,
    cap: request.sponsorship?.cap,
    serviceName: "service",
    routerName: "causeway",
    steps,
    protocol: {
      v2: {
        orderId: id,
        hubType: "onchain",
        orderData: Schema.encodeSync(Order)(order),
        orderSignature: Result.getOrThrow(signOrder(id, key)),
        paymentDetails: {
          chainId: request.origin.slug,
          depository: request.origin.depository,
          currency: request.originCurrency.address,
          amount: price.amountIn.toString()
        }
      }
    }
  })
  return JSON.parse(JSON.stringify(Schema.encodeSync(Quote)(quote)))
}
