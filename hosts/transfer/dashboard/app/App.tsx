/** The dashboard: who is signed in, and which page is shown. The page's name is in the address, behind `#/`. */
import type { ComponentChildren } from "preact"
import { useEffect, useState } from "preact/hooks"
import { session } from "./net/Answers.ts"
import type { Session } from "./net/Answers.ts"
import { call, holdSession, problemOf } from "./net/Call.ts"
import { AllKeysPage, OperatorKeyPage } from "./operator/AllKeys.tsx"
import { MoneyPage } from "./operator/Money.tsx"
import { OverviewPage } from "./operator/Overview.tsx"
import { PausesPage } from "./operator/Pauses.tsx"
import { shorten } from "./parts/Amounts.ts"
import { keepFocus } from "./parts/KeepFocus.ts"
import { Action, Heading } from "./parts/Parts.tsx"
import { SignIn } from "./SignIn.tsx"
import { BalancePage } from "./wallet/Balance.tsx"
import { CostsPage } from "./wallet/Costs.tsx"
import { FeesPage } from "./wallet/Fees.tsx"
import { KeyPage, KeysPage } from "./wallet/Keys.tsx"
import { RequestsPage } from "./wallet/Requests.tsx"
import { WebhooksPage } from "./wallet/Webhooks.tsx"

type Place = ReadonlyArray<string>

const placeNow = (): Place => location.hash.replace(/^#\/?/u, "").split("/").filter((part) => part !== "")

interface Page {
  readonly name: string
  readonly title: string
  readonly show: (rest: Place) => ComponentChildren
}

const operatorPages: ReadonlyArray<Page> = [
  { name: "overview", title: "Overview", show: () => <OverviewPage /> },
  { name: "money", title: "Inventory", show: () => <MoneyPage /> },
  { name: "pauses", title: "Pauses", show: () => <PausesPage /> },
  {
    name: "keys",
    title: "Keys",
    show: ([id]) => id === undefined ? <AllKeysPage /> : <OperatorKeyPage key={id} id={id} />
  }
]

const walletPages = (wallet: string): ReadonlyArray<Page> => [
  { name: "balance", title: "Balance", show: () => <BalancePage wallet={wallet} /> },
  {
    name: "keys",
    title: "Keys",
    show: ([id]) => id === undefined ? <KeysPage wallet={wallet} /> : <KeyPage key={id} id={id} wallet={wallet} />
  },
  { name: "requests", title: "Requests", show: () => <RequestsPage /> },
  { name: "webhooks", title: "Webhooks", show: () => <WebhooksPage /> },
  { name: "costs", title: "Costs", show: () => <CostsPage /> },
  { name: "fees", title: "App fees", show: () => <FeesPage wallet={wallet} /> }
]

const SignedIn = ({ now, signedOut }: { readonly now: Session; readonly signedOut: (session: Session) => void }) => {
  const [place, setPlace] = useState(placeNow)
  useEffect(() => {
    const move = () => setPlace(placeNow())
    addEventListener("hashchange", move)
    return () => removeEventListener("hashchange", move)
  }, [])
  const pages = now.wallet === null ? operatorPages : walletPages(now.wallet)
  const page = pages.find(({ name }) => name === place[0]) ?? pages[0]
  useEffect(() => {
    document.title = `${page?.title ?? "Dashboard"} · Dashboard`
  }, [page?.title])
  return (
    <>
      <header>
        <span class="brand">Dashboard</span>
        <nav aria-label="Pages">
          <ul>
            {pages.map(({ name, title }) => (
              <li key={name}>
                <a href={`#/${name}`} {...(name === page?.name ? { "aria-current": "page" as const } : {})}>{title}</a>
              </li>
            ))}
          </ul>
        </nav>
        <span class="who">
          {now.wallet === null ? "Operator" : <code title={now.wallet}>{shorten(now.wallet)}</code>}
          <Action run={async () => signedOut(await call(session, "POST", "dashboard/session/end"))}>Sign out</Action>
        </span>
      </header>
      <main key={place.join("/")}>{page?.show(place.slice(1))}</main>
    </>
  )
}

export const App = () => {
  const [now, setNow] = useState<Session>()
  const [problem, setProblem] = useState<string>()
  const take = (next: Session) => {
    holdSession(next.csrf, () => take({ ...next, signedIn: null, wallet: null, csrf: null, expiresAt: null }))
    setNow(next)
  }
  useEffect(() => keepFocus(document.body), [])
  useEffect(() => {
    call(session, "GET", "dashboard/session").then(take, (cause: unknown) => setProblem(problemOf(cause)))
  }, [])
  if (problem !== undefined) {
    return (
      <main>
        <Heading>Not available</Heading>
        <p role="alert">{problem}</p>
      </main>
    )
  }
  if (now === undefined) {
    return (
      <main>
        <p class="soft" role="status">Loading…</p>
      </main>
    )
  }
  return now.signedIn === null
    ? (
      <main>
        <SignIn operators={now.operators} signedIn={take} />
      </main>
    )
    : <SignedIn key={now.csrf ?? ""} now={now} signedOut={take} />
}
