/** The requests of a key, with filters. */
import { useState } from "preact/hooks"
import { roundedText } from "../../../../../src/domain/timeline/DisplayText.ts"
import { requests } from "../net/Answers.ts"
import { callApi, queryOf } from "../net/Call.ts"
import { formatTime, formatUsdc, shorten } from "../parts/Amounts.ts"
import { Choice, Field, Heading, Section, Show, State, statusKind, Table, useLoaded } from "../parts/Parts.tsx"
import { WithOwnedKey } from "./OwnedKey.tsx"

const statuses = [
  ["", "any"],
  ...["waiting", "depositing", "pending", "submitted", "delayed", "success", "refund", "failure"].map((each) =>
    [each, each] as const
  )
] as const

interface Filter {
  readonly status: string
  readonly sponsored: string
  readonly user: string
}

/** The exact amount is in the title, and on the request's own page. */
const Cut = ({ amountFormatted, currency: { symbol } }: {
  readonly amountFormatted: string
  readonly currency: { readonly symbol: string }
}) => <span class="number" title={`${amountFormatted} ${symbol}`}>{roundedText(amountFormatted)} {symbol}</span>

const List = ({ filter, apiKey }: { readonly apiKey: string; readonly filter: Filter }) => {
  const [after, setAfter] = useState<string>()
  const loaded = useLoaded(
    `${apiKey} ${after ?? ""}`,
    () =>
      callApi(requests, "GET", `requests${queryOf({ ...filter, limit: "20", continuation: after })}`, { key: apiKey })
  )
  return (
    <Show loaded={loaded}>
      {(page) => (
        <>
          <Table
            caption="Requests of this key, newest first"
            columns={["When", "Status", "From", "To", "User", "Sponsored", "Request"]}
            empty="No request of this key is like that."
            rows={page.requests.map(({ createdAt, data: { feeSponsorship, metadata }, id, status, user }) => ({
              key: id,
              cells: [
                <span class="when">{formatTime(createdAt)}</span>,
                <State kind={statusKind(status)}>{status}</State>,
                <Cut {...metadata.currencyIn} />,
                <Cut {...metadata.currencyOut} />,
                <code class="number" title={user}>{shorten(user)}</code>,
                feeSponsorship?.actual === undefined
                  ? (feeSponsorship === undefined ? "no" : "asked")
                  : <span class="number">{formatUsdc(feeSponsorship.actual.sponsorPayment.amount)} USDC</span>,
                <a class="number" href={`requests/${id}`}>{shorten(id)}</a>
              ]
            }))}
          />
          <p class="row">
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

export const RequestsPage = () => {
  const [filter, setFilter] = useState<Filter>({ status: "", sponsored: "", user: "" })
  const change = (part: Partial<Filter>) => setFilter((before) => ({ ...before, ...part }))
  return (
    <>
      <Heading>Requests</Heading>
      <Section title="Requests of a key">
        <WithOwnedKey>
          {(key) => (
            <>
              <div class="grid">
                <Choice
                  label="Status"
                  value={filter.status}
                  change={(status) => change({ status })}
                  options={statuses}
                />
                <Choice
                  label="Sponsored"
                  value={filter.sponsored}
                  change={(sponsored) => change({ sponsored })}
                  options={[["", "any"], ["true", "yes"], ["false", "no"]]}
                />
                <Field label="User's address" value={filter.user} change={(user) => change({ user })} />
              </div>
              <List key={`${key} ${JSON.stringify(filter)}`} apiKey={key} filter={filter} />
            </>
          )}
        </WithOwnedKey>
      </Section>
    </>
  )
}
