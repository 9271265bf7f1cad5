/**
 * What a node of a ledger answers when it reads a state. A state never changes, so each is asked each question once,
 * however many nodes and processes ask: adapters recognise the same answer, too, and do not decode it again.
 */
import type { HttpAnswer, HttpCall } from "../../adapters/quorum/index.ts"
import { answer } from "../../examples/ledger-vm/ledger/Answer.ts"
import type { LedgerState } from "../../examples/ledger-vm/ledger/Ledger.ts"

const asked = new WeakMap<LedgerState, Map<string, HttpAnswer>>()

/** `call`: a GET. What is sent is for `answer` itself. */
export const readLedger = (state: LedgerState, call: HttpCall): HttpAnswer => {
  const of = asked.get(state) ?? new Map<string, HttpAnswer>()
  asked.set(state, of)
  const answered = of.get(call.path) ?? answer(state, call).answer
  of.set(call.path, answered)
  return answered
}

/** Keeps what `derive` makes of each state. */
export const onceForEach = (derive: (state: LedgerState) => LedgerState): (state: LedgerState) => LedgerState => {
  const known = new WeakMap<LedgerState, LedgerState>()
  return (state) => {
    const derived = known.get(state) ?? derive(state)
    known.set(state, derived)
    return derived
  }
}
