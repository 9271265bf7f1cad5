/** What an owner and an operator do with a key: rotate, revoke, limit. */
import { useState } from "preact/hooks"
import { budget, secretKey } from "../net/Answers.ts"
import type { Budget } from "../net/Answers.ts"
import { callApi } from "../net/Call.ts"
import { anything } from "../net/Decode.ts"
import { formatUsdc, parseUnits } from "./Amounts.ts"
import { Action, Choice, Field, Form, Outcome, Secret, Section, Show, useLoaded } from "./Parts.tsx"

interface OfKey {
  readonly id: string
  readonly changed: () => Promise<void>
}

const overlaps = [["86400", "for a day"], ["3600", "for an hour"], ["0", "not at all: it leaked"]] as const

/** Rotates and revokes. */
export const KeyLife = ({ changed, id }: OfKey) => {
  const [overlap, setOverlap] = useState("86400")
  const [text, setText] = useState<string>()
  const rotate = async () => {
    const body = { overlapSeconds: Number(overlap) }
    setText((await callApi(secretKey, "POST", `api-keys/${id}/rotate`, { body })).key)
    await changed()
  }
  const revoke = async () => {
    await callApi(anything, "DELETE", `api-keys/${id}`)
    await changed()
  }
  return (
    <Section title="Rotate or revoke">
      {text === undefined ? null : <Secret what="The key's new text." text={text} done={() => setText(undefined)} />}
      <div class="row">
        <Choice label="The present text stays valid" value={overlap} change={setOverlap} options={overlaps} />
        <Action run={rotate}>Rotate</Action>
        <Action run={revoke} kind="danger" confirm="Revoke this key for ever?">Revoke</Action>
      </div>
    </Section>
  )
}

const limits = [
  ["total", "In all"],
  ["perDay", "A day (UTC)"],
  ["perRecipientPerDay", "A day, for one recipient"],
  ["laterPerAddressPerDay", "A day, for later deposits of one deposit address"],
  ["defaultCap", "A request that sets no cap"]
] as const

type Limit = (typeof limits)[number][0]

const textsOf = (now: Budget): ReadonlyMap<Limit, string> =>
  new Map(limits.map(([name]) => [name, now[name] === null ? "" : formatUsdc(now[name])]))

const Limits = ({ changed, id, now }: OfKey & { readonly now: Budget }) => {
  const [texts, setTexts] = useState(() => textsOf(now))
  const [outcome, setOutcome] = useState<string>()
  const save = async () => {
    const body = Object.fromEntries(limits.map(([name, label]) => {
      const text = texts.get(name) ?? ""
      const units = text.trim() === "" ? null : parseUnits(text, 6)
      if (units === undefined) throw new Error(`${label}: an amount of USDC, or nothing`)
      return [name, units]
    }))
    setOutcome(undefined)
    setTexts(textsOf(await callApi(budget, "PUT", `api-keys/${id}/budgets`, { body })))
    setOutcome("Saved.")
    await changed()
  }
  return (
    <>
      <Form run={save} submit="Save limits">
        <div class="grid">
          {limits.map(([name, label]) => (
            <Field
              key={name}
              label={label}
              value={texts.get(name) ?? ""}
              change={(text) => setTexts((before) => new Map([...before, [name, text]]))}
              mode="decimal"
            />
          ))}
        </div>
      </Form>
      <Outcome text={outcome} />
    </>
  )
}

/** How much the key may let its sponsor pay, in USDC. */
export const KeyBudget = ({ id }: { readonly id: string }) => {
  const loaded = useLoaded(id, () => callApi(budget, "GET", `api-keys/${id}/budgets`))
  return (
    <Section title="Budget">
      <Show loaded={loaded}>
        {(now) => (
          <>
            <dl class="figures">
              <div>
                <dt>Spent today</dt>
                <dd>{formatUsdc(now.spent.today)} USDC</dd>
              </div>
              <div>
                <dt>Spent in all</dt>
                <dd>{formatUsdc(now.spent.total)} USDC</dd>
              </div>
            </dl>
            <p class="soft">What this key may let its sponsor pay, in USDC. An empty limit does not limit.</p>
            <Limits id={id} now={now} changed={loaded.reload} />
          </>
        )}
      </Show>
    </Section>
  )
}
