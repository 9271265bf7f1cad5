/**
 * How a node of the ledger answers: from a request to an answer and the next state. Pure, so the node in memory and the
 * one behind HTTP give the same answers.
 *
 * Amounts and sequences are decimal strings. Every answer about the chain contains head and final block of the same
 * moment, so a reader needs no second request to judge the first.
 */
import { Result, Schema } from "effect"
import type { recoverDigest } from "causeway-kit"
import type { HttpAnswer, HttpCall } from "causeway-kit/adapters/quorum"
import { ledgerAddresses } from "../rules/LedgerAddresses.ts"
import {
  accountOn,
  type Block,
  blockAt,
  type Entry,
  entryOf,
  finalAccount,
  finalOf,
  headOf,
  identityOf,
  isPooled,
  type LedgerState,
  submit
} from "./Ledger.ts"
import { SignedTransfer, transferId } from "./Transfer.ts"

/** The most transfers in one answer. A longer list ends early, at the end of a block. */
const MOST_TRANSFERS = 1_000

interface Answered {
  readonly state: LedgerState
  readonly answer: HttpAnswer
}

const encodeSigned = Schema.encodeSync(SignedTransfer)
const decodeSigned = Schema.decodeUnknownResult(SignedTransfer)

const placeOf = ({ hash, height, time }: Block) => ({ height, hash, time })

const headsOf = (state: LedgerState) => ({ head: placeOf(headOf(state)), final: placeOf(finalOf(state)) })

const recordOf = (block: Block, { feePaid, id, signed, succeeded }: Entry) => ({
  id,
  ...encodeSigned(signed),
  block: placeOf(block),
  succeeded,
  feePaid: `${feePaid}`
})

const wholeIn = (text: string | null): number | undefined =>
  text !== null && /^\d{1,15}$/.test(text) ? Number(text) : undefined

const known = (said: object): HttpAnswer => ({ status: 200, said })
const refused = (status: number, error: string, more: object = {}): HttpAnswer => ({ status, said: { error, ...more } })

/** The transfers after a block, of one account or of all, and whether that block is still on the chain. */
const history = (state: LedgerState, search: URLSearchParams): HttpAnswer => {
  const account = search.get("account")
  const after = wholeIn(search.get("after"))
  if (after === undefined) return refused(400, "after: not a height")
  const transfers: Array<ReturnType<typeof recordOf>> = []
  let upTo = blockAt(state, Math.min(after, headOf(state).height)) ?? headOf(state)
  for (let height = after + 1; height <= headOf(state).height && transfers.length < MOST_TRANSFERS; height += 1) {
    const block = blockAt(state, height)
    if (block === undefined) break
    for (const entry of block.entries) {
      const { recipient, sender } = entry.signed.transfer
      if (account === null || account === sender || account === recipient) transfers.push(recordOf(block, entry))
    }
    upTo = block
  }
  return known({
    ...headsOf(state),
    known: blockAt(state, after)?.hash ?? null,
    upTo: placeOf(upTo),
    transfers
  })
}

const transferAnswer = (state: LedgerState, id: string): HttpAnswer => {
  const found = entryOf(state, id)
  return found === undefined
    ? refused(404, "no block has this transfer", { ...headsOf(state), pooled: isPooled(state, id) })
    : known({ ...headsOf(state), transfer: recordOf(found.block, found.entry) })
}

const accountAnswer = (state: LedgerState, text: string): HttpAnswer => {
  const parsed = ledgerAddresses.parse(text)
  if (Result.isFailure(parsed)) return refused(400, parsed.failure.message)
  const { balances, sequence } = accountOn(state, parsed.success)
  const waiting = state.pool.filter(({ transfer }) => transfer.sender === parsed.success)
  return known({
    ...headsOf(state),
    sequence: `${sequence}`,
    finalSequence: `${finalAccount(state, parsed.success).sequence}`,
    pendingSequence: `${
      waiting.reduce((next, { transfer }) => transfer.sequence >= next ? transfer.sequence + 1n : next, sequence)
    }`,
    isClosed: state.closed.has(parsed.success),
    balances: Object.fromEntries([...balances].map(([currency, units]) => [currency, `${units}`]))
  })
}

const ledgerAnswer = (state: LedgerState): HttpAnswer => {
  const { terms } = state
  return known({ ...headsOf(state), genesis: identityOf(state), fee: `${terms.fee}`, currencies: terms.currencies })
}

const blockAnswer = (state: LedgerState, height: number | undefined): HttpAnswer => {
  const block = height === undefined ? undefined : blockAt(state, height)
  return block === undefined
    ? refused(404, "there is no such block", headsOf(state))
    : known({ ...headsOf(state), block: placeOf(block) })
}

const taken = (state: LedgerState, body: unknown, recover: typeof recoverDigest | undefined): Answered => {
  const signed = decodeSigned(body)
  if (Result.isFailure(signed)) return { state, answer: refused(400, "no signed transfer") }
  const after = submit(state, signed.success, recover)
  return Result.isFailure(after)
    ? { state, answer: refused(409, after.failure) }
    : { state: after.success, answer: known({ id: transferId(signed.success.transfer) }) }
}

/** `recover`: recovers the signers of transfers, on a faster curve than the default. */
export const answer = (
  state: LedgerState,
  { body, method, path }: HttpCall,
  recover?: typeof recoverDigest
): Answered => {
  const { pathname, searchParams } = new URL(path, "http://ledger")
  const [version, kind, of, ...more] = pathname.split("/").slice(1)
  if (version !== "v1" || more.length > 0) return { state, answer: refused(404, "no such path") }
  if (method === "POST") {
    return kind === "transfers" && of === undefined
      ? taken(state, body, recover)
      : { state, answer: refused(404, "no such path") }
  }
  switch (kind) {
    case "ledger":
      return { state, answer: ledgerAnswer(state) }
    case "blocks":
      return { state, answer: blockAnswer(state, wholeIn(of ?? null)) }
    case "accounts":
      return { state, answer: accountAnswer(state, of ?? "") }
    case "transfers":
      return { state, answer: of === undefined ? history(state, searchParams) : transferAnswer(state, of) }
    default:
      return { state, answer: refused(404, "no such path") }
  }
}
