/**
 * Lets the questions that one endpoint is asked in the same turn of the event loop share a request, in which equal calls
 * are asked once (QUORUM-12). Nothing is kept for a later question.
 *
 * SECURITY: no question may harm the others, and anyone can ask for a transaction that a node answers slowly, or whose
 * answer is too large. So a question that fails together with others is asked again alone, and so is one whose shared
 * request is late; the first good answer counts. After such a failure nothing is shared for a while. Not for nodes that
 * take one call a request.
 */
import { Result } from "effect"
import type { JsonRpcPool, RpcAnswer, RpcCall } from "./JsonRpcPool.ts"

/** The most calls in one request. Public nodes refuse long batches. */
const MOST_CALLS = 25

/** How long a shared request is waited for before its questions are asked alone as well. */
const PATIENCE_MS = 500

/** How long nothing is shared after a shared request failed or was late. */
const ALONE_MS = 5_000

/** The answers to a question's calls, or the failure of its request. */
export type Outcome = Result.Result<ReadonlyArray<RpcAnswer>, unknown>

interface Question {
  readonly calls: ReadonlyArray<RpcCall>
  /** The place of each call in the shared request. */
  readonly places: ReadonlyArray<number>
  /** Undefined when it was asked alone from the beginning. */
  readonly shared: Shared | undefined
  /** Undefined once it is answered, or no caller waits for it any more. */
  tell: ((outcome: Outcome) => void) | undefined
  /** Its requests that are not answered yet. */
  pending: number
  /** Its request of its own, once there is one. */
  alone: AbortController | undefined
}

interface Shared {
  readonly calls: Array<RpcCall>
  readonly places: Map<string, number>
  readonly questions: Array<Question>
  readonly controller: AbortController
  isOver: boolean
}

export interface SharedRequests {
  /** `tell` is called once and later, unless the returned function was called before: then no caller waits any more. */
  readonly ask: (calls: ReadonlyArray<RpcCall>, tell: (outcome: Outcome) => void) => () => void
}

const placeOf = ({ calls, places }: Shared, call: RpcCall): number => {
  const key = `${call.method} ${JSON.stringify(call.params)}`
  const known = places.get(key)
  if (known !== undefined) return known
  places.set(key, calls.length)
  return calls.push(call) - 1
}

const isWaiting = ({ tell }: Question): boolean => tell !== undefined

const isGood = (answer: RpcAnswer | undefined): answer is RpcAnswer =>
  answer !== undefined && answer.error === undefined && "result" in answer

/** Ends whatever only this question waits for. */
const drop = (question: Question): void => {
  const { alone, shared } = question
  question.tell = undefined
  alone?.abort()
  if (shared !== undefined && !shared.isOver && !shared.questions.some(isWaiting)) shared.controller.abort()
}

const outcomeOf = (answers: Promise<ReadonlyArray<RpcAnswer>>): Promise<Outcome> =>
  answers.then((all): Outcome => Result.succeed(all), (cause: unknown): Outcome => Result.fail(cause))

/** `post` sends one request. Times in milliseconds. */
export const shareRequests = (
  post: JsonRpcPool["post"],
  { aloneMs = ALONE_MS, patienceMs = PATIENCE_MS } = {}
): SharedRequests => {
  /** The request that questions of this turn join. */
  let open: Shared | undefined
  let aloneUntil = -Infinity

  const settle = (question: Question, outcome: Outcome): void => {
    const { tell } = question
    drop(question)
    tell?.(outcome)
  }

  const askAlone = (question: Question): void => {
    if (question.alone === undefined && isWaiting(question)) void sendAlone(question, new AbortController())
  }

  const sendAlone = async (question: Question, alone: AbortController): Promise<void> => {
    question.alone = alone
    question.pending += 1
    const outcome = await outcomeOf(post(question.calls, alone.signal))
    if (Result.isSuccess(outcome)) settle(question, outcome)
    else fail(question, outcome.failure)
  }

  /** One of its requests failed. */
  const fail = (question: Question, cause: unknown): void => {
    question.pending -= 1
    if (question.alone === undefined) askAlone(question)
    else if (question.pending === 0) settle(question, Result.fail(cause))
  }

  const stopSharing = () => {
    aloneUntil = performance.now() + aloneMs
  }

  const sendShared = async (shared: Shared, waiting: ReadonlyArray<Question>): Promise<void> => {
    const late = setTimeout(() => {
      stopSharing()
      waiting.forEach(askAlone)
    }, patienceMs)
    for (const question of waiting) question.pending += 1
    const outcome = await outcomeOf(post(shared.calls, shared.controller.signal))
    clearTimeout(late)
    shared.isOver = true
    if (Result.isFailure(outcome) && waiting.some(isWaiting)) stopSharing()
    const answers = Result.getOrElse(outcome, () => [])
    for (const question of waiting) {
      const own = question.places.map((place) => answers[place])
      if (own.every(isGood)) settle(question, Result.succeed(own))
      else fail(question, Result.isFailure(outcome) ? outcome.failure : undefined)
    }
  }

  const send = (shared: Shared): void => {
    if (open === shared) open = undefined
    const waiting = shared.questions.filter(isWaiting)
    if (waiting.length > 1) void sendShared(shared, waiting)
    else waiting.forEach(askAlone)
  }

  /** The request that a question of so many calls joins. */
  const openFor = (count: number): Shared => {
    if (open !== undefined && open.calls.length + count <= MOST_CALLS) return open
    const made: Shared = {
      calls: [],
      places: new Map(),
      questions: [],
      controller: new AbortController(),
      isOver: false
    }
    open = made
    setImmediate(() => send(made))
    return made
  }

  return {
    ask: (calls, tell) => {
      const isAlone = calls.length > MOST_CALLS || performance.now() < aloneUntil
      const shared = isAlone ? undefined : openFor(calls.length)
      const places = shared === undefined ? [] : calls.map((call) => placeOf(shared, call))
      const question: Question = { calls, places, shared, tell, pending: 0, alone: undefined }
      if (shared === undefined) askAlone(question)
      else shared.questions.push(question)
      return () => drop(question)
    }
  }
}
