/**
 * Checks side by side: a sender learns of every field at fault in one answer, not of one field a try (ERROR-1).
 *
 * A check that depends on another fails with the other's faults, which are named once. Checks that make no sense after
 * another's failure are chained by `Result.flatMap`.
 */
import * as Result from "effect/Result"
import { joinFaults } from "../../decoding/DescribeFaults.ts"
import { QuoteRefused } from "../QuoteError.ts"

/** Faults of a request. The first one's code and field are those of the answer. */
export type Faults = ReadonlyArray<QuoteRefused>

/** What a check found, or why not. Without a fault the reason is named elsewhere: its field did not decode. */
export type Checked<A> = Result.Result<A, Faults>

type Check = Result.Result<unknown, QuoteRefused | Faults>

/** A check with one fault, among others with several. */
export const checked = <A>(check: Result.Result<A, QuoteRefused>): Checked<A> =>
  Result.mapError(check, (fault) => [fault])

/** Every fault of the checks, in their order; of a field its first. */
export const gatherFaults = (checks: ReadonlyArray<Check>): Faults => {
  const faults = new Map<string, QuoteRefused>()
  for (const check of checks) {
    if (Result.isSuccess(check)) continue
    for (const fault of check.failure instanceof QuoteRefused ? [check.failure] : check.failure) {
      const field = fault.field ?? ""
      if (!faults.has(field)) faults.set(field, fault)
    }
  }
  return [...faults.values()]
}

/** Fails with every fault of the checks. */
export const passAll = (checks: ReadonlyArray<Check>): Checked<void> =>
  checks.every(Result.isSuccess) ? Result.void : Result.fail(gatherFaults(checks))

/** Every value of a list, or the faults of all that have one. */
export const allOf = <A>(checks: ReadonlyArray<Result.Result<A, QuoteRefused>>): Checked<ReadonlyArray<A>> => {
  const values: Array<A> = []
  for (const check of checks) {
    if (Result.isFailure(check)) return Result.fail(gatherFaults(checks))
    values.push(check.success)
  }
  return Result.succeed(values)
}

/** One refusal for all of them. */
export const refuseAll = (faults: Faults): QuoteRefused => {
  const [first] = faults
  if (first === undefined) return new QuoteRefused({ code: "INVALID_REQUEST", message: "body: not valid" })
  return faults.length === 1 ? first : new QuoteRefused({
    code: first.code,
    ...(first.field === undefined ? {} : { field: first.field }),
    message: joinFaults(faults.map(({ message }) => message))
  })
}
