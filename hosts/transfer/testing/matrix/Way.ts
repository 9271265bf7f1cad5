/** One way of the matrix, walked by a public client: what the quote said, what arrived, and what the hub gave. */
import { Effect, Result, Schedule, Semaphore } from "effect"
import { getAddress, toHex } from "viem"
import { ChainSlug } from "../../../../src/domain/chain/ChainId.ts"
import { families } from "../../../../src/domain/families/index.ts"
import { alias } from "../../../../src/domain/hub/Alias.ts"
import { hubTokenId } from "../../../../src/domain/hub/HubTokenId.ts"
import { ended, pay, requestOf, settledOf } from "../../../localnet/commands/demo/ClientTransfer.ts"
import { named, quote } from "../../../localnet/commands/demo/TransferApi.ts"
import { hubTransfers } from "../../../localnet/commands/demo/Wallet.ts"
import type { LocalnetError } from "../../../localnet/run/LocalnetError.ts"
import { hubAddressOf } from "../../../localnet/nodes/ethereum/Addresses.ts"
import type { Anvil } from "../../../localnet/nodes/ethereum/Anvil.ts"
import type { MatrixChain, MatrixCurrency } from "./MatrixFamily.ts"

/** `refund`: the deposit goes back to a new account on the origin. */
export interface Way {
  readonly from: MatrixChain
  readonly to: MatrixChain
  readonly paid: MatrixCurrency
  readonly received: MatrixCurrency
  readonly ends: "fill" | "refund" | "send" | "swap"
  /** The user pays plainly to an address of the request, whose sweep makes the deposit. Absent for a deposit by itself. */
  readonly byAddress?: boolean
  /** Smallest units of `paid`. */
  readonly amount: bigint
  /** Pays the fees. */
  readonly apiKey?: string
}

export interface MatrixHost {
  readonly url: string
  readonly hub: Anvil
  readonly solver: string
  /** So many quotes wait for their payment at once, at most: one is priced for half a minute. */
  readonly paying: Semaphore.Semaphore
}

/** The solver's account on the hub: that of its key on the settlement chain. */
export const solverOnHub = (solver: string) => {
  const settlement = { slug: ChainSlug.make("beta"), family: families["ethereum-vm"], network: "mainnet" } as const
  return toHex(BigInt(Result.getOrThrow(alias(settlement, solver.toLowerCase()))), { size: 20 })
}

/** What a settling transaction gave the solver of a currency: each transfer on the hub. Smallest units. */
const givenBy = Effect.fnUntraced(function*({ hub, solver }: MatrixHost, { from, paid }: Way, hash: string) {
  const token = Result.getOrThrow(hubTokenId(from.ref, paid.address))
  const access = { id: "hub", chainId: hub.chainId, rpcUrl: hub.url }
  const transfers = yield* hubTransfers(access, getAddress(hubAddressOf("Hub")), hash)
  return transfers.flatMap((each) =>
    each.token === token && each.to === getAddress(solverOnHub(solver))
      ? [each.amount]
      : []
  )
})

/** As a client does while a chain is late, which is a 503, or while the service is away. The test's timeout limits it. */
const patiently = <A>(asked: Effect.Effect<A, LocalnetError>) =>
  Effect.retry(asked, {
    while: ({ reason }) => reason === "SERVICE_UNAVAILABLE" || reason === "unreachable",
    schedule: Schedule.spaced("1 second")
  })

/** Quotes and pays. The quote's amounts, the request, and the account that is to receive. */
const begin = Effect.fnUntraced(function*({ paying, url }: MatrixHost, way: Way) {
  const { amount, apiKey, byAddress = false, ends, from, paid, received, to } = way
  const user = yield* from.user(paid)
  const recipient = yield* to.wallet.newAddress
  const refundTo = yield* from.wallet.newAddress
  const answer = yield* Effect.gen(function*() {
    const asked = quote(url, {
      user: user.address,
      recipient,
      originChainId: from.chainId,
      destinationChainId: to.chainId,
      originCurrency: paid.address,
      destinationCurrency: received.address,
      amount: `${amount}`,
      tradeType: "EXACT_INPUT",
      includeProtocolData: true,
      ...(ends === "refund" ? { refundTo, refundOnOrigin: true, referrer: "force-refund" } as const : {}),
      ...(byAddress ? { useDepositAddress: true, refundTo } as const : {}),
      ...(apiKey === undefined ? {} : { subsidizeFees: true } as const),
      // Without it the user pays for the recipient's token account.
      ...(apiKey === undefined || to.ref.family.name !== "solana-vm" ? {} : { subsidizeRent: true } as const)
    }, apiKey)
    const quoted = yield* patiently(asked)
    const sent = yield* pay(from.wallet, user.privateKey, quoted)
    // Nobody lists what users pay each other there.
    if (ends === "send" && from.ref.family.scansSends === false) {
      yield* Effect.forEach(sent, (txHash) => patiently(named(url, from.chainId, txHash)))
    }
    return quoted
  }).pipe(Semaphore.withPermit(user.alone), Semaphore.withPermit(paying))
  const { currencyIn, currencyOut } = answer.details
  return {
    request: requestOf(answer),
    quoted: {
      in: BigInt(currencyIn.amount),
      out: BigInt(currencyOut.amount),
      least: BigInt(currencyOut.minimumAmount)
    },
    held: ends === "refund"
      ? from.wallet.balance(paid.address, refundTo)
      : to.wallet.balance(received.address, recipient)
  }
})

type Begun = Effect.Success<ReturnType<typeof begin>>

/** Follows what was begun to its end, and onto the hub where something was deposited. */
const finish = Effect.fnUntraced(function*(host: MatrixHost, way: Way, { held, quoted, request }: Begun) {
  const { failReason, refunds = [], status } = yield* patiently(ended(host.url, request))
  const arrived = yield* held
  // A payment of the user itself has no deposit, and what was paid wrongly may never settle.
  const settles = way.ends === "fill" ? status === "success" && arrived >= quoted.least : way.ends === "refund"
  const settled = !settles ? [] : yield* patiently(settledOf(host.url, request))
  const [settlement] = settled
  return {
    request,
    quoted,
    arrived,
    status: status === "failure" ? `failure: ${failReason}` : status,
    refunded: refunds.map(({ refunded }) => refunded),
    settled: settled.map(({ reason, state }) => reason === null ? state : `${state}: ${reason}`),
    given: settlement?.txHash == null ? [] : yield* givenBy(host, way, settlement.txHash)
  }
})

export const walk = Effect.fnUntraced(function*(host: MatrixHost, way: Way) {
  return yield* finish(host, way, yield* begin(host, way))
})
export type Walked = Effect.Success<ReturnType<typeof walk>>
