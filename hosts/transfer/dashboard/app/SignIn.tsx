/** Signing in: an integrator with a wallet, an operator with the admin token. */
import { useEffect, useState } from "preact/hooks"
import { challenge, session } from "./net/Answers.ts"
import type { Session } from "./net/Answers.ts"
import { call } from "./net/Call.ts"
import { chooseAccount, findWallets, signMessage } from "./net/Wallets.ts"
import type { FoundWallet } from "./net/Wallets.ts"
import { Action, Field, Form, Heading, Section } from "./parts/Parts.tsx"

interface SignInProps {
  readonly operators: boolean
  readonly signedIn: (session: Session) => void
}

const WithWallet = ({ signedIn }: Pick<SignInProps, "signedIn">) => {
  const [wallets, setWallets] = useState<ReadonlyArray<FoundWallet>>()
  useEffect(() => void findWallets().then(setWallets), [])
  const signIn = async (wallet: FoundWallet) => {
    const account = await chooseAccount(wallet)
    const { message } = await call(challenge, "POST", "dashboard/session/challenge", { body: { wallet: account } })
    const signature = await signMessage(wallet, account, message)
    signedIn(await call(session, "POST", "dashboard/session/wallet", { body: { message, signature } }))
  }
  return (
    <Section title="With a wallet">
      <p>For integrators: keys, app balance, requests, webhooks and costs. Signing in spends nothing.</p>
      {wallets?.length === 0
        ? <p role="status">There is no wallet in this browser. Install one, and load this page again.</p>
        : (
          <p class="row">
            {wallets?.map((wallet) => (
              <Action key={wallet.name} kind="main" run={() => signIn(wallet)}>Sign in with {wallet.name}</Action>
            ))}
          </p>
        )}
    </Section>
  )
}

const AsOperator = ({ signedIn }: Pick<SignInProps, "signedIn">) => {
  const [token, setToken] = useState("")
  const signIn = async () => {
    const answer = await call(session, "POST", "dashboard/session/operator", { body: { token } })
    setToken("")
    signedIn(answer)
  }
  return (
    <Section title="As an operator">
      <p>For those who run this service. The token is not kept in this browser.</p>
      <Form run={signIn} submit="Sign in as operator">
        <Field label="Admin token" type="password" value={token} change={setToken} required />
      </Form>
    </Section>
  )
}

export const SignIn = ({ operators, signedIn }: SignInProps) => (
  <>
    <Heading>Sign in</Heading>
    <WithWallet signedIn={signedIn} />
    {operators ? <AsOperator signedIn={signedIn} /> : null}
  </>
)
