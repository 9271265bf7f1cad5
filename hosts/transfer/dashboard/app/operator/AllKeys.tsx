/** Every key of the service: make, limit, rotate, revoke. */
import { useState } from "preact/hooks"
import { allKeys, secretKey } from "../net/Answers.ts"
import { callApi } from "../net/Call.ts"
import { formatTime, shorten } from "../parts/Amounts.ts"
import { KeyBudget, KeyLife } from "../parts/KeyTools.tsx"
import { Field, Form, Heading, Secret, Section, Show, State, Table, useLoaded } from "../parts/Parts.tsx"

/** One key, for an operator. */
export const OperatorKeyPage = ({ id }: { readonly id: string }) => {
  const loaded = useLoaded(id, () => callApi(allKeys, "GET", "api-keys"))
  return (
    <Show loaded={loaded}>
      {({ keys }) => {
        const row = keys.find((each) => each.id === id)
        if (row === undefined) return <Heading>There is no such key</Heading>
        return (
          <>
            <Heading>{row.label}</Heading>
            <p class="row">
              <code>{row.id}</code> {row.revokedAt === null ? null : <State kind="bad">revoked</State>}
            </p>
            {row.revokedAt === null
              ? (
                <>
                  <KeyBudget id={id} />
                  <KeyLife id={id} changed={loaded.reload} />
                </>
              )
              : null}
            <p>
              <a href="#/keys">All keys</a>
            </p>
          </>
        )
      }}
    </Show>
  )
}

export const AllKeysPage = () => {
  const [label, setLabel] = useState("")
  const [made, setMade] = useState<string>()
  const loaded = useLoaded("all keys", () => callApi(allKeys, "GET", "api-keys"))
  const create = async () => {
    setMade((await callApi(secretKey, "POST", "api-keys", { body: { label } })).key)
    setLabel("")
    await loaded.reload()
  }
  return (
    <>
      <Heading>API keys</Heading>
      <Section title="Make a key">
        {made === undefined ? null : <Secret what="The new key." text={made} done={() => setMade(undefined)} />}
        <Form run={create} submit="Make key">
          <Field label="Name" value={label} change={setLabel} required />
        </Form>
      </Section>
      <Section title="All keys">
        <Show loaded={loaded}>
          {({ keys }) => (
            <Table
              caption="Every key, oldest first"
              columns={["Name", "Id", "Wallet", "Made", "State"]}
              empty="There are no keys."
              rows={keys.map(({ createdAt, id, label, revokedAt, wallet }) => ({
                key: id,
                cells: [
                  <a href={`#/keys/${id}`}>{label}</a>,
                  <code>{id}</code>,
                  wallet === null ? "none" : <code title={wallet}>{shorten(wallet)}</code>,
                  <span class="when">{formatTime(createdAt)}</span>,
                  revokedAt === null ? <State kind="good">valid</State> : <State kind="bad">revoked</State>
                ]
              }))}
            />
          )}
        </Show>
      </Section>
    </>
  )
}
