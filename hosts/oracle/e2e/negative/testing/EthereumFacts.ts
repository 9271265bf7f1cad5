/** A node of EVM chains that shows given facts as JSON-RPC answers, and nothing else. */
import { Effect, Layer } from "effect"
import { encodeAbiParameters, encodeEventTopics, keccak256, parseAbiItem, toHex } from "viem"
import type { Hex } from "viem"
import { EthereumQuorums, layer as observerLayer } from "../../../../../adapters/ethereum/observe/Observer.ts"
import { viemHex } from "../../../../../adapters/ethereum/rpc/ViemHex.ts"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import type {
  DepositEvidence,
  PaymentEvidence,
  RouterCallEvidence,
  TransactionEvidence
} from "../../../../../src/domain/evidence/TransactionEvidence.ts"
import type { FamilyUnderTest } from "./NegativeFamily.ts"
import type { Call } from "./NodeServer.ts"
import { serveNodes } from "./NodeServer.ts"
import { chainsOf, noObservations, observedAt, showing, transactionsOn } from "./Observed.ts"

const FINALIZED = 4_000
const LATEST = 6_000
const NATIVE = `0x${"0".repeat(40)}`

const unindexed = {
  nativeDeposit: parseAbiItem("event RelayNativeDeposit(address from, uint256 amount, bytes32 id)"),
  erc20Deposit: parseAbiItem("event RelayErc20Deposit(address from, address token, uint256 amount, bytes32 id)"),
  nativePayment: parseAbiItem("event SolverNativeTransfer(address to, uint256 amount)"),
  callExecuted: parseAbiItem("event SolverCallExecuted(address to, bytes data, uint256 amount)")
} as const
const transferEvent = parseAbiItem("event Transfer(address indexed from, address indexed to, uint256 value)")

interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<Hex | null>
  readonly data: Hex
  readonly index: number
}

const log = (address: string, event: keyof typeof unindexed, values: ReadonlyArray<unknown>, index: number): Log => ({
  address,
  topics: [encodeEventTopics({ abi: [unindexed[event]] })[0] ?? "0x"],
  data: encodeAbiParameters(unindexed[event].inputs, values as never),
  index
})

const transfer = (token: string, from: string, to: string, amount: bigint, index: number): Log => ({
  address: token,
  topics: encodeEventTopics({ abi: [transferEvent], args: { from: from as Hex, to: to as Hex } }) as ReadonlyArray<Hex>,
  data: encodeAbiParameters([{ type: "uint256" }], [amount]),
  index
})

const ofDeposit = (
  { amount, currency, depositId, depositor, depository, index }: DepositEvidence
): ReadonlyArray<Log> =>
  currency === NATIVE
    ? [log(depository, "nativeDeposit", [depositor, amount, depositId], index)]
    : [
      transfer(currency, depositor, depository, amount, index),
      log(depository, "erc20Deposit", [depositor, currency, amount, depositId], index + 1)
    ]

const ofPayment = ({ amount, currency, recipient, through }: PaymentEvidence, index: number): Log =>
  currency === NATIVE && through._tag === "Router"
    ? log(through.router, "nativePayment", [recipient, amount], index)
    : transfer(currency, toHex(0x50, { size: 20 }), recipient, amount, index)

const ofCall = ({ data, router, to, value }: RouterCallEvidence, index: number): Log =>
  log(router, "callExecuted", [to, data, value], index)

/** A failed transaction keeps its logs here, which no real node shows. They must not count even so. */
export const logsOf = ({ deposits, payments, routerCalls }: TransactionEvidence): ReadonlyArray<Log> => [
  ...deposits.flatMap(ofDeposit),
  ...payments.map((payment, at) => ofPayment(payment, 100 + at)),
  ...routerCalls.map((call, at) => ofCall(call, 200 + at))
]

const quantity = (value: number | bigint): Hex => toHex(value)
const hashOf = (height: number): Hex => keccak256(toHex(height))

/** The transaction's block: beyond the finalized one if it is not final. */
const heightOf = ({ finality }: TransactionEvidence, at: number): number =>
  (finality._tag === "Final" ? 1_000 : FINALIZED + 1_000) + at

const answersOf = (seen: ReadonlyArray<TransactionEvidence>) => {
  const placed = seen.map((evidence, at) => ({ evidence, height: heightOf(evidence, at) }))
  const find = (hash: unknown) => placed.find(({ evidence }) => evidence.transactionId === hash)
  const block = (height: number) => {
    const time = placed.find((each) => each.height === height)?.evidence.block.time
    return { number: quantity(height), hash: hashOf(height), timestamp: quantity(time ?? 1_900_000_000) }
  }
  return (chain: Chain, method: unknown, [of]: ReadonlyArray<unknown>): unknown => {
    if (method === "eth_chainId") return quantity(chain.id)
    if (method === "eth_getBlockByNumber") {
      return block(of === "finalized" ? FINALIZED : of === "latest" ? LATEST : Number(of))
    }
    const found = find(of)
    if (found === undefined) return null
    const { evidence, height } = found
    const hash = viemHex(evidence.transactionId)
    if (method === "eth_getTransactionByHash") {
      const input = evidence.orderIds.length === 0
        ? "0x"
        : `0xfeedf00d${evidence.orderIds.map((id) => id.slice(2)).join("")}`
      return { hash, from: toHex(0x50, { size: 20 }), to: toHex(0x60, { size: 20 }), input, value: "0x0" }
    }
    return {
      transactionHash: hash,
      blockHash: hashOf(height),
      blockNumber: quantity(height),
      status: evidence.outcome === "succeeded" ? "0x1" : "0x0",
      logs: logsOf(evidence).map(({ index, ...each }) => ({
        ...each,
        logIndex: quantity(index),
        transactionHash: hash
      }))
    }
  }
}

/** Evidence of ethereum-vm at the wire. */
export const ethereumFacts: FamilyUnderTest = {
  family: "ethereum-vm",
  // A node that does not know a transaction of its own chain cannot say which other chain has it.
  shownAs: { "wrong-chain": "not-found", unread: "not-found", "several-order-ids": "wrong-order-id" },
  open: (all) =>
    showing(
      noObservations,
      Effect.fnUntraced(function*(shown) {
        const chains = chainsOf(all, "ethereum-vm")
        const url = yield* serveNodes((path, posted) => {
          const chain = chains.find(({ slug }) => `/${slug}` === path)
          const calls = JSON.parse(posted) as ReadonlyArray<Call>
          const answer = answersOf(chain === undefined ? [] : transactionsOn(chain, shown()))
          return JSON.stringify(
            calls.map(({ id, method, params }) => ({
              jsonrpc: "2.0",
              id,
              result: chain && answer(chain, method, params)
            }))
          )
        })
        const quorums = { of: observedAt(chains, ({ slug }) => `${url}/${slug}`) }
        return observerLayer.pipe(Layer.provide(Layer.succeed(EthereumQuorums, quorums)))
      })
    )
}
