/**
 * A node of EVM chains whose depositories show given withdrawals, and transactions that executed them, and nothing
 * else.
 */
import { Effect, Layer } from "effect"
import {
  concat,
  decodeAbiParameters,
  decodeFunctionData,
  encodeAbiParameters,
  encodeFunctionData,
  keccak256,
  toHex
} from "viem"
import type { Hex } from "viem"
import { abi } from "../../../../../adapters/ethereum/contracts/artifacts/Depository.ts"
import { EthereumQuorums, layer as observerLayer } from "../../../../../adapters/ethereum/observe/Observer.ts"
import { viemHex } from "../../../../../adapters/ethereum/rpc/ViemHex.ts"
import { layer as withdrawalsLayer } from "../../../../../adapters/ethereum/observe/Withdrawals.ts"
import type { Chain } from "../../../../../src/domain/chain/Chain.ts"
import type { WithdrawalEvidence } from "../../../../../src/domain/evidence/withdrawal/WithdrawalEvidence.ts"
import type { WithdrawalFamilyUnderTest } from "./NegativeWithdrawals.ts"
import type { Call } from "./NodeServer.ts"
import { serveNodes } from "./NodeServer.ts"
import { chainsOf, noWithdrawal, observedAt, showing } from "./Observed.ts"

const FINAL = 4_000
const HEAD = 4_002
/** The block of all transactions, long past. */
const BLOCK = 3_000
const LATER = 1_900_000_000

export const executeSelector = encodeFunctionData({
  abi,
  functionName: "execute",
  args: [{ calls: [], nonce: 0n, expiration: 0n }, "0x"]
}).slice(0, 10)
const requestType = [{
  type: "tuple",
  components: [
    {
      name: "calls",
      type: "tuple[]",
      components: [
        { name: "to", type: "address" },
        { name: "data", type: "bytes" },
        { name: "value", type: "uint256" },
        { name: "allowFailure", type: "bool" }
      ]
    },
    { name: "nonce", type: "uint256" },
    { name: "expiration", type: "uint256" }
  ]
}] as const

/** The calldata that executes an encoded withdrawal. A text that is no withdrawal gets the same form. */
export const executing = (withdrawal: string): Hex => {
  const [request] = decodeAbiParameters(requestType, viemHex(withdrawal))
  return encodeFunctionData({ abi, functionName: "execute", args: [request, `0x${"5a".repeat(65)}`] })
}

const timesOf = ({ state }: WithdrawalEvidence) =>
  state._tag === "Unused" ? { [FINAL]: state.finalTime, [HEAD]: state.headTime } : { [FINAL]: LATER, [HEAD]: LATER }

const answersOf = (shown: WithdrawalEvidence, claimed: string | undefined) => {
  const times: Readonly<Record<number, number>> = timesOf(shown)
  const block = (height: number) => ({
    number: toHex(height),
    hash: keccak256(toHex(height)),
    timestamp: toHex(times[height] ?? LATER)
  })
  const executed = shown.state._tag === "Executed" ? shown.state.transactionIds : []
  const isKnown = (hash: unknown): hash is string =>
    typeof hash === "string" && (executed.some((id) => id === hash) || hash === claimed)
  return (chain: Chain, method: unknown, [of, at]: ReadonlyArray<unknown>): unknown => {
    if (method === "eth_chainId") return toHex(chain.id)
    if (method === "eth_getBlockByNumber") {
      return block(of === "finalized" ? FINAL : of === "latest" ? HEAD : Number(of))
    }
    if (method === "eth_call") {
      const { data } = of as { readonly data: Hex }
      const [id] = decodeFunctionData({ abi, data }).args ?? []
      return encodeAbiParameters([{ type: "bool" }], [
        at === toHex(FINAL) && shown.state._tag === "Executed" && id === shown.withdrawalId
      ])
    }
    if (!isKnown(of)) return null
    const hash = viemHex(of)
    // A claimed transaction that did not execute it passed something else to the depository.
    const input = executed.some((id) => id === of)
      ? executing(shown.withdrawal)
      : concat([viemHex(executeSelector), `0x${"00".repeat(128)}`])
    if (method === "eth_getTransactionByHash") {
      return { hash, from: toHex(0x50, { size: 20 }), to: chain.depository, input, value: "0x0" }
    }
    return {
      transactionHash: hash,
      blockHash: keccak256(toHex(BLOCK)),
      blockNumber: toHex(BLOCK),
      status: "0x1",
      logs: []
    }
  }
}

export const ethereumWithdrawalFacts: WithdrawalFamilyUnderTest = {
  family: "ethereum-vm",
  /**
   * Evidence that is read from a contract by its id never belongs to another withdrawal or chain, and a request is
   * either used or not.
   */
  cannotShow: ["evidence of another withdrawal", "evidence of another chain", "spent otherwise"],
  open: (all) =>
    showing(
      noWithdrawal,
      Effect.fnUntraced(function*(shown) {
        const chains = chainsOf(all, "ethereum-vm")
        const url = yield* serveNodes((path, posted) => {
          const chain = chains.find(({ slug }) => `/${slug}` === path)
          const calls = JSON.parse(posted) as ReadonlyArray<Call>
          const { claimed, evidence } = shown() ?? { claimed: undefined, evidence: undefined }
          const answer = evidence && answersOf(evidence, claimed)
          return JSON.stringify(
            calls.map(({ id, method, params }) => ({
              jsonrpc: "2.0",
              id,
              result: chain && answer?.(chain, method, params)
            }))
          )
        })
        const quorums = { of: observedAt(chains, ({ slug }) => `${url}/${slug}`) }
        return Layer.mergeAll(observerLayer, withdrawalsLayer).pipe(
          Layer.provide(Layer.succeed(EthereumQuorums, quorums))
        )
      })
    )
}
