/**
 * The gate of a hub on an EVM chain, read through its endpoints.
 *
 * Whether an execution is final follows from the gate's events between the final block and the head, and from the
 * gate's marks at the head. No state of an older block is needed: many nodes no longer have that state by the time the
 * block is final.
 */
import { Effect, Layer } from "effect"
import { BaseError, keccak256, parseAbi, parseAbiItem, RpcRequestError, stringToBytes } from "viem"
import type { PublicClient } from "viem"
import { HubGate } from "../../../ports/hub/HubGate.ts"
import type { Gate } from "../../../ports/hub/SettlingHub.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { agreedExecutions } from "../../../src/domain/hub/settling/AgreedExecutions.ts"
import type { ExecutionState } from "../../../src/domain/hub/settling/AgreedExecutions.ts"
import type { Steps } from "../../endpoints/AskEndpoint.ts"
import { abi } from "../contracts/artifacts/OracleGate.ts"
import { EthereumRpc, NodeIsBehind } from "../rpc/EthereumRpc.ts"
import { assertLogsKept } from "../watch/KeptLogs.ts"
import { readHeads } from "./Finality.ts"
import { multicall3 } from "../rpc/Multicall3.ts"
import { hashAt } from "./Receipt.ts"
import { viemHex } from "../rpc/ViemHex.ts"

const executedEvent = parseAbiItem("event Executed(bytes32 indexed idempotencyKey)")
/** The event of a gate with one oracle. Its key is not indexed, so all of the gate's events are read. */
const executedByOracle = parseAbiItem("event Executed(bytes32 idempotencyKey, bytes[] actions)")

const ORACLE_ROLE = keccak256(stringToBytes("ORACLE_ROLE"))
const roleAbi = parseAbi(["function hasRole(bytes32 role, address account) view returns (bool)"])
const multisigAbi = parseAbi([
  "function threshold() view returns (uint256)",
  "function isSigner(address account) view returns (bool)"
])

/** A node that rate-limits says nothing about its state. */
const LIMIT_EXCEEDED = -32_005

/** Blocks for each request for events: as many as public endpoints allow. */
const BLOCKS_A_PAGE = 1_000n

/** The gate is read in one step. */
const AT_ONCE: Steps = { done: () => {} }

/** Keys that were executed in these blocks, both ends included. */
const executedIn = async (
  client: PublicClient,
  { form, gate }: Gate,
  keys: ReadonlyArray<Hex32>,
  from: bigint,
  to: bigint
): Promise<ReadonlySet<string>> => {
  const found = new Set<string>()
  for (let low = from; low <= to; low += BLOCKS_A_PAGE) {
    const toBlock = low + BLOCKS_A_PAGE - 1n < to ? low + BLOCKS_A_PAGE - 1n : to
    const where = { address: viemHex(gate), fromBlock: low, toBlock, strict: true } as const
    const logs = form?._tag === "Oracle"
      ? await client.getLogs({ ...where, event: executedByOracle })
      : await client.getLogs({ ...where, event: executedEvent, args: { idempotencyKey: keys.map(viemHex) } })
    for (const { args } of logs) found.add(args.idempotencyKey)
  }
  return found
}

/**
 * Whether the gate had marked the key at a block. This reveals a node with a lagging index of events. Undefined when
 * the node says that it no longer has the state. A node that does not answer proves nothing, so that is an error.
 */
const markedAt = async (
  client: PublicClient,
  { gate }: Gate,
  key: Hex32,
  blockNumber: bigint
): Promise<boolean | undefined> => {
  if (blockNumber < 0n) return false
  try {
    return await client.readContract({
      abi,
      address: viemHex(gate),
      functionName: "isExecuted",
      args: [viemHex(key)],
      blockNumber
    })
  } catch (error) {
    const refusal = error instanceof BaseError ? error.walk((each) => each instanceof RpcRequestError) : null
    if (refusal instanceof RpcRequestError && refusal.code !== LIMIT_EXCEEDED) return undefined
    throw error
  }
}

/** The state of the executions according to one endpoint, at its head. */
const statesOf = async (
  client: PublicClient,
  hub: Gate,
  keys: ReadonlyArray<Hex32>
): Promise<ReadonlyMap<Hex32, ExecutionState>> => {
  const { finalHeight, height } = await readHeads(client, hub.chain)
  const head = await hashAt(client, height)
  const marked = await Promise.all(
    keys.map((key) =>
      client.readContract({
        abi,
        address: viemHex(hub.gate),
        functionName: "isExecuted",
        args: [viemHex(key)],
        blockNumber: height
      })
    )
  )
  const done = keys.filter((_, index) => marked[index] === true)
  const young = done.length === 0 ? new Set<string>() : await executedIn(client, hub, done, finalHeight + 1n, height)
  const before = await Promise.all(done.map((key) => markedAt(client, hub, key, finalHeight)))
  if (before.includes(undefined)) {
    await assertLogsKept(client, { from: finalHeight + 1n, to: height, head: height }, AT_ONCE)
  }
  // Between two heads, an execution that moved would look like an old one.
  if (head === undefined || (await hashAt(client, height)) !== head) throw new NodeIsBehind()
  // Lost state does not show that the key was unmarked then. In that case the events alone decide (EVM-7).
  const carriedOut = new Set<string>([...young, ...done.filter((_, index) => before[index] === false)])
  return new Map(
    keys.map((
      key,
      index
    ): readonly [Hex32, ExecutionState] => [
      key,
      marked[index] !== true ? "open" : carriedOut.has(key) ? "carried-out" : "final"
    ])
  )
}

const thresholdOf = ({ readContract }: Pick<PublicClient, "readContract">, { form, gate }: Gate): Promise<bigint> => {
  if (form?._tag !== "Oracle") return readContract({ abi, address: viemHex(gate), functionName: "threshold" })
  return form.multisig === undefined
    ? Promise.resolve(1n)
    : readContract({ abi: multisigAbi, address: viemHex(form.multisig), functionName: "threshold" })
}

/** For a multisig: a signer of a contract that itself has the role. */
const isOracle = async (
  { readContract }: Pick<PublicClient, "readContract">,
  { form, gate }: Gate,
  account: Address
): Promise<boolean> => {
  if (form?._tag !== "Oracle") {
    return await readContract({ abi, address: viemHex(gate), functionName: "isOracle", args: [viemHex(account)] })
  }
  const hasRole = (of: Address) =>
    readContract({ abi: roleAbi, address: viemHex(gate), functionName: "hasRole", args: [ORACLE_ROLE, viemHex(of)] })
  if (form.multisig === undefined) return await hasRole(account)
  const isSigner = readContract({
    abi: multisigAbi,
    address: viemHex(form.multisig),
    functionName: "isSigner",
    args: [viemHex(account)]
  })
  return (await Promise.all([hasRole(form.multisig), isSigner])).every((each) => each)
}

export const layer = Layer.effect(
  HubGate,
  Effect.gen(function*() {
    const rpc = yield* EthereumRpc

    const terms: HubGate["Service"]["terms"] = (hub) =>
      rpc.call(hub.chain, "threshold of the gate", async (client) => {
        const [threshold, code] = await Promise.all([
          thresholdOf(client, hub),
          client.getCode({ address: viemHex(multicall3) })
        ])
        return { threshold: Number(threshold), takesSeveral: code !== undefined && code !== "0x" }
      })

    const oraclesAmong: HubGate["Service"]["oraclesAmong"] = (hub, accounts) =>
      rpc.call(hub.chain, "oracles of the gate", async (client) => {
        const known = await Promise.all(accounts.map((account) => isOracle(client, hub, account)))
        return new Set(accounts.filter((_, index) => known[index] === true))
      })

    const executed: HubGate["Service"]["executed"] = (hub, keys) =>
      rpc.agreed(
        hub.chain,
        "executions of the gate",
        (client) => statesOf(client, hub, keys),
        (said, needed) => agreedExecutions(keys, said, needed)
      )

    return HubGate.of({ terms, oraclesAmong, executed })
  })
)
