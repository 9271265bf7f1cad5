/**
 * docs/stored-work.json: every workflow and step under whose name something is stored, with the JSON schema of the
 * stored value.
 *
 * Stored executions refer to these names for as long as they run, so the file only grows: every entry must still exist,
 * and today's schema must read everything that the entry's schema allowed. An entry is deleted by hand, once it is
 * certain that no store can still contain it.
 */
import { Schema } from "effect"
import { fillingSteps } from "../../src/services/filling/FillingSteps.ts"
import { FillingWorkflow } from "../../src/services/filling/FillingWorkflow.ts"
import { payoutSteps } from "../../src/services/payout/PayoutSteps.ts"
import { PayoutWorkflow } from "../../src/services/payout/PayoutWorkflow.ts"
import { permitSteps } from "../../src/services/permits/PermitSteps.ts"
import { PermitWorkflow } from "../../src/services/permits/PermitWorkflow.ts"
import { sweepSteps } from "../../src/services/deposit-addresses/SweepSteps.ts"
import { SweepWorkflow } from "../../src/services/deposit-addresses/SweepWorkflow.ts"

const Json = Schema.Record(Schema.String, Schema.Json)

/** By name, `Filling` or `Filling/confirm`; then by what is stored: payload, success or error. */
export const StoredWork = Schema.Record(Schema.String, Schema.Record(Schema.String, Json))
export type StoredWork = typeof StoredWork.Type

const formOf = (schema: Schema.Constraint) => {
  const { definitions, schema: own } = Schema.toJsonSchemaDocument(Schema.toCodecJson(schema))
  return Schema.decodeUnknownSync(Json)(Object.keys(definitions).length === 0 ? own : { ...own, $defs: definitions })
}

const never = formOf(Schema.Never)

interface Workflow {
  readonly _tag: string
  readonly payloadSchema: Schema.Constraint
  readonly successSchema: Schema.Constraint
  readonly errorSchema: Schema.Constraint
}

const entriesOf = (workflow: Workflow, steps: Readonly<Record<string, Schema.Constraint>>): StoredWork => ({
  [workflow._tag]: {
    payload: formOf(workflow.payloadSchema),
    success: formOf(workflow.successSchema),
    error: formOf(workflow.errorSchema)
  },
  ...Object.fromEntries(
    Object.entries(steps).map((
      [name, success]
    ) => [`${workflow._tag}/${name}`, { success: formOf(success), error: never }])
  )
})

/** The entries of this version. */
export const storedWork = (): StoredWork => ({
  ...entriesOf(FillingWorkflow, fillingSteps),
  ...entriesOf(PayoutWorkflow, payoutSteps),
  ...entriesOf(PermitWorkflow, permitSteps),
  ...entriesOf(SweepWorkflow, sweepSteps)
})

type Form = Schema.Json | undefined

const isList = (form: Form): form is ReadonlyArray<Schema.Json> => Array.isArray(form)

const isObject = (form: Form): form is { readonly [key: string]: Schema.Json } =>
  typeof form === "object" && form !== null && !isList(form)

const listOf = (form: Form): ReadonlyArray<Schema.Json> => isList(form) ? form : []

const isSame = (one: Form, other: Form): boolean => JSON.stringify(one) === JSON.stringify(other)

const membersOf = (form: { readonly [key: string]: Schema.Json }): ReadonlyArray<Schema.Json> | undefined => {
  if ("anyOf" in form) return listOf(form["anyOf"])
  return "enum" in form && listOf(form["enum"]).length > 1
    ? listOf(form["enum"]).map((value) => ({ type: form["type"] ?? "string", enum: [value] }))
    : undefined
}

/**
 * True when `now` reads everything that `before` allows. A construct that this function does not understand counts as
 * different.
 */
export const reads = (now: Form, before: Form): boolean => {
  if (isSame(now, before)) return true
  if (!isObject(now) || !isObject(before)) return false
  const older = membersOf(before)
  if (older !== undefined) return older.every((member) => reads(now, member))
  const newer = membersOf(now)
  if (newer !== undefined) return newer.some((member) => reads(member, before))
  const [own, known] = [now["properties"], before["properties"]]
  if (!isObject(own) || !isObject(known)) return false
  const required = listOf(before["required"])
  return listOf(now["required"]).every((name) => required.includes(name)) &&
    Object.entries(known).every(([name, form]) =>
      name in own ? reads(own[name], form) : now["additionalProperties"] !== false
    )
}

/** The changes that would break a stored execution, one sentence each; empty when every store can continue. */
export const brokenPromises = (committed: StoredWork, now: StoredWork): ReadonlyArray<string> =>
  Object.entries(committed).flatMap(([name, parts]) => {
    const today = now[name]
    if (today === undefined) {
      return [
        `${name} is gone: executions that are stored ask for it by this name. Keep it (a new way of doing it gets a new name beside it) until no store can hold one, then delete it from docs/stored-work.json`
      ]
    }
    return Object.entries(parts).flatMap(([part, form]) =>
      reads(today[part], form)
        ? []
        : [
          `${name}: its ${part} no longer reads what was stored. Let the schema take the old form too, or give the step a new name`
        ]
    )
  })

/** The text of docs/stored-work.json. */
export const storedWorkText = (work: StoredWork): string => `${JSON.stringify(work, undefined, 2)}\n`
