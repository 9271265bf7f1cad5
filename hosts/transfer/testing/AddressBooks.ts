/**
 * Independent accounts of deposit addresses: compares, to the unit, what was sent there, what the depositories took,
 * what the solver's transactions paid, and what the service shows.
 */
import { Effect } from "effect"
import { decodeFunctionData, erc20Abi, isAddressEqual, parseAbi, parseEventLogs, slice, size } from "viem"
import type { Hex, Transaction } from "viem"
import type { Anvil } from "../../localnet/nodes/ethereum/Anvil.ts"
import { addressOf } from "../../localnet/nodes/ethereum/Addresses.ts"
import { requestsOf } from "./Addressed.ts"
import { reader } from "./Client.ts"
import { ETH, held, USDC } from "./Tokens.ts"
import type { TestCurrency } from "./Tokens.ts"

/** An address with its own depositor, recipient and refundTo, so that everything that names these belongs to it. */
export interface Opened {
  readonly address: Hex
  readonly strict: boolean
  readonly currency: TestCurrency
  readonly depositor: Hex
  readonly recipient: Hex
  readonly refundTo: Hex
  /** Smallest units that were quoted. */
  readonly amountIn: bigint
}

/** A plain transfer to an address. */
export interface Sent {
  readonly address: Hex
  readonly chain: "alpha" | "beta"
  readonly currency: TestCurrency
  readonly units: bigint
}

/** More than the gas of a refund or of a sweep on a local chain, and less than any deposit except a single unit. */
const DUST: Readonly<Record<string, bigint>> = { ETH: 10n ** 15n, USDC: 500_000n }

const events = parseAbi([
  "event RelayNativeDeposit(address from, uint256 amount, bytes32 id)",
  "event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)"
])

interface Moved {
  readonly chainId: number
  readonly token: Hex
  readonly units: bigint
  readonly order: Hex
}

type Deposited = Moved & { readonly from: Hex }
type PaidOut = Moved & { readonly to: Hex }

/** Every deposit on a chain, in chain order. */
const depositsOf = (anvil: Anvil) =>
  Effect.promise(async (): Promise<ReadonlyArray<Deposited>> => {
    const logs = parseEventLogs({
      abi: events,
      logs: await reader(anvil).getLogs({ address: addressOf("Depository"), fromBlock: 0n })
    })
    return logs.map(({ args }) => ({
      chainId: anvil.chainId,
      from: args.from,
      token: "token" in args ? args.token : ETH.address,
      units: args.amount,
      order: args.id
    }))
  })

/** A payment names its order in its last word. A sweep is not a payment. */
const payoutOf = (chainId: number, { input, to, value }: Transaction): ReadonlyArray<PaidOut> => {
  if (to === null) return []
  if (size(input) === 32) return [{ chainId, to, token: ETH.address, units: value, order: input }]
  if (!isAddressEqual(to, USDC.address) || size(input) !== 100) return []
  const { args } = decodeFunctionData({ abi: erc20Abi, data: slice(input, 0, 68) })
  const [recipient, units] = args ?? []
  return typeof recipient === "string" && typeof units === "bigint"
    ? [{ chainId, to: recipient, token: USDC.address, units, order: slice(input, 68) }]
    : []
}

const payoutsOf = (anvil: Anvil, solver: Hex) =>
  Effect.promise(async () => {
    const client = reader(anvil)
    const heights = Array.from({ length: Number(await client.getBlockNumber()) + 1 }, (_, index) => BigInt(index))
    const blocks = await Promise.all(
      heights.map((blockNumber) => client.getBlock({ blockNumber, includeTransactions: true }))
    )
    return blocks.flatMap(({ transactions }) => transactions).filter(({ from }) => isAddressEqual(from, solver))
      .flatMap((one) => payoutOf(anvil.chainId, one))
  })

const sum = (all: ReadonlyArray<bigint>): bigint => all.reduce((total, each) => total + each, 0n)

const unitsOf = (all: ReadonlyArray<{ readonly units: bigint }>): bigint => sum(all.map(({ units }) => units))

interface Chains {
  readonly alpha: Anvil
  readonly beta: Anvil
  readonly solver: Hex
}

/** Everything that does not match now. Some of it may only need time. */
export const discrepancies = Effect.fnUntraced(
  function*(url: string, { alpha, beta, solver }: Chains, opened: ReadonlyArray<Opened>, sent: ReadonlyArray<Sent>) {
    const deposits = (yield* Effect.forEach([alpha, beta], depositsOf)).flat()
    const payouts = (yield* Effect.forEach([alpha, beta], (anvil) => payoutsOf(anvil, solver))).flat()
    const found: Array<string> = []
    const must = (holds: boolean, says: string) => {
      if (!holds) found.push(says)
    }
    for (const { address, amountIn, currency: quoted, depositor, recipient, refundTo, strict } of opened) {
      const name = `${strict ? "strict" : "open"} ${quoted.symbol} ${address}`
      const requests = yield* requestsOf(url, address)
      const own = deposits.filter(({ from }) => isAddressEqual(from, depositor))
      const fills = payouts.filter(({ to }) => isAddressEqual(to, recipient))
      const returns = payouts.filter(({ to }) => isAddressEqual(to, refundTo))
      const isQuoted = ({ chainId, token }: Moved) => chainId === alpha.chainId && isAddressEqual(token, quoted.address)
      const filled = own.filter((each) => isQuoted(each) && fills.some(({ order }) => order === each.order))

      must(fills.length === new Set(fills.map(({ order }) => order)).size, `${name}: an order was filled twice`)
      must(
        fills.every(({ order }) => own.some((each) => isQuoted(each) && each.order === order)),
        `${name}: a fill answers no deposit`
      )
      must(
        requests.filter(({ status }) => status === "success").length === fills.length,
        `${name}: ${fills.length} fills, shown: ${requests.map(({ status }) => status).join()}`
      )
      must(
        (yield* held(beta, quoted, recipient)) === unitsOf(fills),
        `${name}: the recipient has something else than the fills`
      )
      must(
        requests.every(({ status }) => ["waiting", "success", "refund", "failure"].includes(status)),
        `${name}: a request has not ended`
      )
      if (strict) {
        const [first] = own.filter(isQuoted)
        must(
          fills.length === (first !== undefined && first.units >= amountIn ? 1 : 0),
          `${name}: ${fills.length} fills of a first deposit of ${first?.units}`
        )
      } else {
        const orders = own.filter(isQuoted).map(({ order }) => order)
        must(new Set(orders).size === orders.length, `${name}: two deposits under one request`)
      }
      for (const [slug, anvil] of [["alpha", alpha], ["beta", beta]] as const) {
        for (const currency of [ETH, USDC]) {
          const what = `${name}: ${currency.symbol} on ${slug}`
          const isHere = ({ chainId, token }: Moved) =>
            chainId === anvil.chainId && isAddressEqual(token, currency.address)
          const came = unitsOf(
            sent.filter((each) => each.address === address && each.chain === slug && each.currency === currency)
          )
          const left = yield* held(anvil, currency, address)
          must(
            left < (DUST[currency.symbol] ?? 0n) || anvil.chainId !== alpha.chainId || currency !== quoted,
            `${what}: ${left} are worth a sweep and still there`
          )
          must(
            came === unitsOf(own.filter(isHere)) + left,
            `${what}: ${came} came, ${unitsOf(own.filter(isHere))} deposited, ${left} left`
          )
          const legs = requests.flatMap(({ data }) => data.refunds)
            .filter((leg) =>
              leg.chainId === anvil.chainId && leg.currency.toLowerCase() === currency.address.toLowerCase()
            )
          const back = returns.filter(isHere)
          const paid = legs.filter(({ state }) => state === "paid")
          must(
            (yield* held(anvil, currency, refundTo)) === unitsOf(back),
            `${what}: refundTo has something else than the refunds`
          )
          must(
            paid.length === back.length && sum(paid.map(({ refunded }) => BigInt(refunded ?? 0))) === unitsOf(back),
            `${what}: ${back.length} refunds, shown: ${JSON.stringify(legs)}`
          )
          must(
            legs.every(({ state }) => state === "paid" || state === "recorded"),
            `${what}: a leg is on its way: ${JSON.stringify(legs)}`
          )
          must(
            paid.every(({ amount, refunded }) =>
              BigInt(amount) - BigInt(refunded ?? 0) < 3n * (DUST[currency.symbol] ?? 0n)
            ),
            `${what}: gas took too much`
          )
          const taken = strict
            ? BigInt(filled.filter(isHere).length === 0 ? 0 : 1) * amountIn
            : unitsOf(filled.filter(isHere))
          const shown = sum(legs.map(({ amount }) => BigInt(amount)))
          must(
            unitsOf(own.filter(isHere)) === taken + shown,
            `${what}: ${unitsOf(own.filter(isHere))} deposited, ${taken} filled, ${shown} in legs`
          )
        }
      }
    }
    return found
  }
)
