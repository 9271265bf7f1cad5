/**
 * A peer's answer to this oracle's question (PEER-2): its execution, if any, and whether it calls itself a shadow. The
 * rest of its answer is ignored.
 *
 * SECURITY: lists are counted before their members are examined, so a hostile answer costs no more than its parsing.
 */
import * as Predicate from "effect/Predicate"
import * as Result from "effect/Result"
import * as Schema from "effect/Schema"
import { MAX_SIGNATURES, PeerExecution } from "./ExecutionSignature.ts"

/** An execution has one action per deposit, or a few per fill: no transaction holds more deposits than this. */
const MAX_ACTIONS = 1_024

export interface PeerReply {
  /** Undefined when the peer saw nothing to execute. */
  readonly execution: PeerExecution | undefined
  /** True when the peer says that its signatures are not relied on. */
  readonly isShadow: boolean
}

/** An invalid answer. No part of it is used. */
export class NoPeerReply extends Schema.TaggedError<NoPeerReply>()("NoPeerReply", {}) {
  override get message(): string {
    return "the peer's answer is none"
  }
}

const Body = Schema.Struct({
  execution: Schema.optionalKey(PeerExecution),
  shadow: Schema.optionalKey(Schema.Boolean)
})
const decode = Schema.decodeUnknownResult(Body)

const memberOf = (of: unknown, name: string): unknown => Predicate.hasProperty(of, name) ? of[name] : undefined

const isLonger = (list: unknown, most: number): boolean => Array.isArray(list) && list.length > most

/** The reply in a JSON body. Total: any value gives a reply or `NoPeerReply`. */
export const decodePeerReply = (body: unknown): Result.Result<PeerReply, NoPeerReply> => {
  const execution = memberOf(body, "execution")
  if (
    isLonger(memberOf(execution, "actions"), MAX_ACTIONS) || isLonger(memberOf(execution, "signatures"), MAX_SIGNATURES)
  ) {
    return Result.fail(new NoPeerReply())
  }
  return decode(body).pipe(
    Result.map((reply): PeerReply => ({ execution: reply.execution, isShadow: reply.shadow === true })),
    Result.mapError(() => new NoPeerReply())
  )
}
