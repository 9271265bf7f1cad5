/**
 * One node of the ledger, as adapters query it: a path in, a decoded answer out. Over HTTP, or over a ledger in memory.
 *
 * An answer that cannot be decoded counts as no answer. It fails like a timeout, and is never read as "not there".
 */
import { Context, Effect, Layer, Result, Schema } from "effect"
import type { Redacted, Scope } from "effect"
import type { Chain } from "causeway-kit"
import {
  type EndpointFamily,
  type ListedEndpoints,
  makeRotation,
  NodeIsBehind,
  type Rotation
} from "causeway-kit/adapters/endpoints"
import type { HttpAnswer, HttpCall, HttpJson, ReadFault } from "causeway-kit/adapters/quorum"
import { AccountAnswer, BlockAnswer, HistoryAnswer, LedgerAnswer, TransferAnswer } from "./Answers.ts"

/** How a node at a URL is reached. The scope closes its connections. */
export type Connect = (url: Redacted.Redacted) => Effect.Effect<HttpJson, never, Scope.Scope>

const pathOf = {
  ledger: "/v1/ledger",
  block: (height: bigint | number) => `/v1/blocks/${height}`,
  transfer: (id: string) => `/v1/transfers/${id}`,
  account: (account: string) => `/v1/accounts/${account}`,
  history: (after: bigint | number, account?: string) =>
    `/v1/transfers?after=${after}${account === undefined ? "" : `&account=${account}`}`
}

/** A 404 is an answer, too, with the heads at which it was given. */
const isAnswer = ({ status }: HttpAnswer): boolean => status === 200 || status === 404

type Decode<A> = (said: unknown) => Result.Result<A, unknown>

/** A ledger in memory gives the same object again until its next block: it is decoded once. */
const decoderOf = <A>(schema: Schema.ConstraintCodec<A, unknown>): Decode<A> => {
  const decode = Schema.decodeUnknownResult(schema)
  const known = new WeakMap<object, ReturnType<typeof decode>>()
  return (said) => {
    if (typeof said !== "object" || said === null) return decode(said)
    const decoded = known.get(said) ?? decode(said)
    known.set(said, decoded)
    return decoded
  }
}

const decoders = {
  ledger: decoderOf(LedgerAnswer),
  block: decoderOf(BlockAnswer),
  transfer: decoderOf(TransferAnswer),
  account: decoderOf(AccountAnswer),
  history: decoderOf(HistoryAnswer)
}

export interface Question<A> {
  readonly path: string
  readonly decode: Decode<A>
}
const get = <A>(decode: Decode<A>, path: string): Question<A> => ({ path, decode })

/** The requests, each with the decoder of its answer. */
export const ask = {
  ledger: get(decoders.ledger, pathOf.ledger),
  block: (height: bigint | number) => get(decoders.block, pathOf.block(height)),
  transfer: (id: string) => get(decoders.transfer, pathOf.transfer(id)),
  account: (account: string) => get(decoders.account, pathOf.account(account)),
  history: (after: bigint | number, account?: string) => get(decoders.history, pathOf.history(after, account))
}

/** For reads under a quorum. `deadline` in milliseconds. */
export const asked = <A>(
  node: HttpJson,
  { decode, path }: Question<A>,
  deadline: number
): Effect.Effect<A, ReadFault> =>
  Effect.flatMap(node.call({ method: "GET", path }, deadline), (answer): Effect.Effect<A, ReadFault> => {
    if (!isAnswer(answer)) return Effect.fail("refused")
    const decoded = decode(answer.said)
    return Result.isSuccess(decoded) ? Effect.succeed(decoded.success) : Effect.fail("undecodable")
  })

/** The node did not answer. */
class NotAnswered extends Error {
  readonly kind: "timeout" | "unreachable" | "refused"
  constructor(kind: "timeout" | "unreachable" | "refused") {
    super(kind)
    this.kind = kind
  }
}

/** One node, as a rotation of endpoints queries it. Throws when the node does not answer. */
export interface LedgerClient {
  readonly send: (call: HttpCall) => Promise<HttpAnswer>
  readonly get: <A>(question: Question<A>) => Promise<A>
}

const clientOf = (node: HttpJson, requestMs: number): LedgerClient => {
  const send = async (call: HttpCall): Promise<HttpAnswer> => {
    const said = await Effect.runPromise(Effect.result(node.call(call, requestMs)))
    if (Result.isFailure(said)) throw new NotAnswered(said.failure)
    return said.success
  }
  return {
    send,
    get: async ({ decode, path }) => {
      const answer = await send({ method: "GET", path })
      if (!isAnswer(answer)) throw new NotAnswered("refused")
      return Result.getOrThrowWith(decode(answer.said), () => new NotAnswered("refused"))
    }
  }
}

/** Ledgers are identified by their first block. */
export const isOn = (genesis: string, { genesisHash }: Chain): boolean => genesis === genesisHash

const endpointFamily = (connect: Connect): EndpointFamily<LedgerClient> => ({
  open: (url, requestMs) => Effect.map(connect(url), (node) => clientOf(node, requestMs)),
  isOn: async (client, chain) => isOn((await client.get(ask.ledger)).genesis, chain),
  faultOf: (cause) => cause instanceof NotAnswered ? cause.kind : "refused"
})

/** A rotation over the nodes of every ledger that the transfer service serves. */
export class LedgerRpc extends Context.Service<LedgerRpc, Rotation<LedgerClient>>()("ledger-vm/LedgerRpc") {}

export const layer = (connect: Connect, endpoints: ListedEndpoints) =>
  Layer.effect(LedgerRpc, makeRotation(endpointFamily(connect), endpoints))

/** The node cannot answer yet: it is behind a block that is already known. */
export const behind = (): never => {
  throw new NodeIsBehind()
}
