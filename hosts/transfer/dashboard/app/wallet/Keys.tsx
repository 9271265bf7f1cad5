/** A wallet's keys: make one (shown once), link it, rotate it, limit it, revoke it. */
import { useState } from "preact/hooks"
import { challenge, secretKey, walletKeys } from "../net/Answers.ts"
import type { WalletKeyRow } from "../net/Answers.ts"
import { call, callApi } from "../net/Call.ts"
import { anything } from "../net/Decode.ts"
import { signMessage, walletOf } from "../net/Wallets.ts"
import { formatTime, shorten } from "../parts/Amounts.ts"
import { KeyBudget, KeyLife } from "../parts/KeyTools.tsx"
import {
  Action,
  Field,
  Form,
  Heading,
  Outcome,
  Secret,
  Section,
  Show,
  State,
  Table,
  useLoaded
} from "../parts/Parts.tsx"

const stateOf = ({ revokedAt, rotatingUntil }: WalletKeyRow) => {
  if (revokedAt !== null) return <State kind="bad">revoked</State>
  return rotatingUntil !== null && Date.parse(rotatingUntil) > Date.now()
    ? <State kind="busy">rotating until {formatTime(rotatingUntil)}</State>
    : <State kind="good">valid</State>
}

const Link = ({ changed, row, wallet }: {
  readonly row: WalletKeyRow
  readonly wallet: string
  readonly changed: (outcome: string) => Promise<void>
}) => {
  const link = async () => {
    const from = await walletOf(wallet)
    const asked = await callApi(challenge, "POST", "api-keys/wallets/challenge", { key: row.id, body: { wallet } })
    const signature = await signMessage(from, wallet, asked.message)
    await callApi(anything, "POST", "api-keys/wallets", { key: row.id, body: { message: asked.message, signature } })
    await changed("Linked: this wallet pays for the key.")
  }
  const unlink = async () => {
    await callApi(anything, "DELETE", "api-keys/wallets", { key: row.id })
    await changed("Unlinked: no wallet pays for the key.")
  }
  return (
    <Section title="Wallet that pays">
      {row.wallet === null
        ? <p>No wallet pays for this key's users. Link yours, so that the key may spend its app balance.</p>
        : (
          <p>
            This key spends the app balance of <code>{row.wallet}</code>.
          </p>
        )}
      <div class="row">
        {row.role === "owner" && row.wallet !== wallet
          ? <Action kind="main" run={link}>Link this wallet</Action>
          : null}
        {row.wallet === null ? null : <Action run={unlink} confirm="Stop paying for this key?">Unlink</Action>}
      </div>
    </Section>
  )
}

/** One key. */
export const KeyPage = ({ id, wallet }: { readonly id: string; readonly wallet: string }) => {
  const loaded = useLoaded(id, () => call(walletKeys, "GET", "dashboard/keys"))
  const [outcome, setOutcome] = useState<string>()
  const linked = async (said: string) => {
    await loaded.reload()
    setOutcome(said)
  }
  return (
    <Show loaded={loaded}>
      {({ keys }) => {
        const row = keys.find((each) => each.id === id)
        // A wallet that only paid for the key has nothing to do with it once it is unlinked.
        if (row === undefined) {
          return (
            <>
              <Heading>There is no such key of this wallet</Heading>
              <Outcome text={outcome} />
              <p>
                <a href="#/keys">All keys</a>
              </p>
            </>
          )
        }
        return (
          <>
            <Heading>{row.label}</Heading>
            <p class="row">
              <code>{row.id}</code> {stateOf(row)}
            </p>
            {row.revokedAt === null ? <Link row={row} wallet={wallet} changed={linked} /> : null}
            <Outcome text={outcome} />
            {row.revokedAt === null && row.role === "owner"
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

export const KeysPage = ({ wallet }: { readonly wallet: string }) => {
  const [label, setLabel] = useState("")
  const [made, setMade] = useState<string>()
  const loaded = useLoaded(wallet, () => call(walletKeys, "GET", "dashboard/keys"))
  const create = async () => {
    const { key } = await call(secretKey, "POST", "dashboard/keys", { body: { label } })
    setMade(key)
    setLabel("")
    await loaded.reload()
  }
  return (
    <>
      <Heading>API keys</Heading>
      <Section title="Make a key">
        {made === undefined ? null : <Secret what="Your new key." text={made} done={() => setMade(undefined)} />}
        <Form run={create} submit="Make key">
          <Field label="Name" value={label} change={setLabel} hint="such as the app that will use it" required />
        </Form>
      </Section>
      <Section title="Your keys">
        <Show loaded={loaded}>
          {({ keys }) => (
            <Table
              caption="Keys that this wallet owns or pays for"
              columns={["Name", "Id", "You are its", "Pays", "Made", "State"]}
              empty="You have no keys yet."
              rows={keys.map((row) => ({
                key: row.id,
                cells: [
                  <a href={`#/keys/${row.id}`}>{row.label}</a>,
                  <code>{row.id}</code>,
                  row.role,
                  row.wallet === null ? "nobody" : row.wallet === wallet ? "this wallet" : shorten(row.wallet),
                  <span class="when">{formatTime(row.createdAt)}</span>,
                  stateOf(row)
                ]
              }))}
            />
          )}
        </Show>
      </Section>
    </>
  )
}
