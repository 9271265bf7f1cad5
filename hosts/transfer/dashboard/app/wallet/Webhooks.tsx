/** The webhooks of a key, what was sent to them, and sending it again. */
import { useState } from "preact/hooks"
import { deliveries, webhooks, webhookSecret } from "../net/Answers.ts"
import { callApi, queryOf } from "../net/Call.ts"
import { anything } from "../net/Decode.ts"
import { formatTime, formatUsdc, parseUnits, shorten } from "../parts/Amounts.ts"
import {
  Action,
  Field,
  Form,
  Heading,
  Secret,
  Section,
  Show,
  State,
  statusKind,
  Table,
  useLoaded
} from "../parts/Parts.tsx"
import { WithOwnedKey } from "./OwnedKey.tsx"

const Subscriptions = ({ apiKey }: { readonly apiKey: string }) => {
  const [url, setUrl] = useState("")
  const [low, setLow] = useState("")
  const [secret, setSecret] = useState<string>()
  const key = apiKey
  const loaded = useLoaded(key, () => callApi(webhooks, "GET", "webhooks", { key }))
  const subscribe = async () => {
    const lowBalance = low.trim() === "" ? undefined : parseUnits(low, 6)
    if (low.trim() !== "" && lowBalance === undefined) throw new Error("an amount of USDC, or nothing")
    const body = { url, ...(lowBalance === undefined ? {} : { lowBalance }) }
    setSecret((await callApi(webhookSecret, "POST", "webhooks", { key, body })).secret)
    setUrl("")
    setLow("")
    await loaded.reload()
  }
  const rotate = async (id: string) => {
    setSecret((await callApi(webhookSecret, "POST", `webhooks/${id}/secret`, { key, body: {} })).secret)
  }
  const remove = async (id: string) => {
    await callApi(anything, "DELETE", `webhooks/${id}`, { key })
    await loaded.reload()
  }
  return (
    <>
      {secret === undefined
        ? null
        : <Secret what="The secret that deliveries are signed with." text={secret} done={() => setSecret(undefined)} />}
      <Show loaded={loaded}>
        {(known) => (
          <Table
            caption="Where this key's events are sent"
            columns={["URL", "Low balance", "Made", "Actions"]}
            empty="This key has no webhooks."
            rows={known.webhooks.map(({ createdAt, id, lowBalance, url }) => ({
              key: id,
              cells: [
                <code>{url}</code>,
                lowBalance === null ? "not told" : `below ${formatUsdc(lowBalance)} USDC`,
                <span class="when">{formatTime(createdAt)}</span>,
                <span class="row">
                  <Action run={() => rotate(id)} label={`New secret for ${url}`}>New secret</Action>
                  <Action run={() => remove(id)} kind="danger" confirm="Remove it and its log?" label={`Remove ${url}`}>
                    Remove
                  </Action>
                </span>
              ]
            }))}
          />
        )}
      </Show>
      <Form run={subscribe} submit="Add webhook">
        <div class="grid">
          <Field label="URL" type="url" value={url} change={setUrl} hint="https, at a public address" required />
          <Field label="Tell when the balance falls below, USDC" value={low} change={setLow} mode="decimal" />
        </div>
      </Form>
    </>
  )
}

const Log = ({ apiKey }: { readonly apiKey: string }) => {
  const [after, setAfter] = useState<string>()
  const key = apiKey
  const loaded = useLoaded(
    `${key} ${after ?? ""}`,
    () => callApi(deliveries, "GET", `webhooks/deliveries${queryOf({ limit: "20", continuation: after })}`, { key })
  )
  const replay = async (id: string) => {
    await callApi(anything, "POST", `webhooks/deliveries/${id}/replay`, { key })
    await loaded.reload()
  }
  return (
    <Show loaded={loaded}>
      {(page) => (
        <>
          <Table
            caption="What was sent in the last 30 days, newest first"
            columns={["When", "Event", "Request", "State", "Tries", "Actions"]}
            empty="Nothing was sent yet."
            rows={page.deliveries.map(({ createdAt, event, id, requestId, state, tries }) => ({
              key: id,
              cells: [
                <span class="when">{formatTime(createdAt)}</span>,
                event,
                requestId === null ? "" : <a href={`requests/${requestId}`}>{shorten(requestId)}</a>,
                <State kind={statusKind(state)}>{state}</State>,
                tries.length === 0
                  ? "none yet"
                  : tries.map(({ failure, latencyMs, status }) => `${status ?? failure ?? "?"} in ${latencyMs} ms`)
                    .join(
                      ", "
                    ),
                <Action run={() => replay(id)} label={`Send again: delivery ${id}`}>Send again</Action>
              ]
            }))}
          />
          <p class="row">
            <Action run={loaded.reload}>Refresh</Action>
            {after === undefined ? null : <button type="button" onClick={() => setAfter(undefined)}>Newest</button>}
            {page.continuation === undefined
              ? null
              : <button type="button" onClick={() => setAfter(page.continuation)}>Older</button>}
          </p>
        </>
      )}
    </Show>
  )
}

export const WebhooksPage = () => (
  <>
    <Heading>Webhooks</Heading>
    <WithOwnedKey>
      {(key) => (
        <>
          <Section title="Subscriptions">
            <Subscriptions key={key} apiKey={key} />
          </Section>
          <Section title="Deliveries">
            <Log key={key} apiKey={key} />
          </Section>
        </>
      )}
    </WithOwnedKey>
  </>
)
