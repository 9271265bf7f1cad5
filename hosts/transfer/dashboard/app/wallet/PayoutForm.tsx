/** Claims app fees or withdraws app balance, by a message that the wallet signs (BALANCE-4). */
import { useState } from "preact/hooks"
import { payout } from "../net/Answers.ts"
import type { Chains } from "../net/Answers.ts"
import { call } from "../net/Call.ts"
import { signTyped, walletOf } from "../net/Wallets.ts"
import { parseUnits, shorten } from "../parts/Amounts.ts"
import { Field, Form } from "../parts/Parts.tsx"

const primaryTypes = { claim: "ClaimAppFees", withdraw: "WithdrawAppBalance", settle: "SettleAppFees" } as const

/** Seconds until the signature is no longer accepted. */
const VALID_SECONDS = 600

interface PayoutFormProps {
  readonly kind: keyof typeof primaryTypes
  readonly known: Chains
  readonly wallet: string
  readonly currency: {
    readonly chainId: number
    readonly address: string
    readonly symbol: string
    readonly decimals: number
  }
  /** The amount that the form starts with. */
  readonly most: string
  /** To whom; the wallet itself unless a debt is paid. */
  readonly recipient?: string
  /** Called with what became of it, for people: the form may be gone by then. */
  readonly done: (outcome: string) => void
}

/** A page may have several of these forms, so each says what it is about. */
const labelOf = ({ currency: { chainId, symbol }, kind, known, recipient }: PayoutFormProps): string => {
  if (kind === "withdraw") return `Amount, ${symbol}`
  const chain = known.chains.find(({ id }) => id === chainId)?.displayName ?? `chain ${chainId}`
  return `Amount, ${symbol} on ${chain}${recipient === undefined ? "" : `, to ${shorten(recipient)}`}`
}

const submits = { claim: "Claim", withdraw: "Withdraw", settle: "Pay" } as const

export const PayoutForm = (props: PayoutFormProps) => {
  const { currency, done, kind, known: { settlement }, most, recipient, wallet } = props
  const [amount, setAmount] = useState(most)
  const [to, setTo] = useState(recipient ?? wallet)
  const send = async () => {
    const units = parseUnits(amount, currency.decimals)
    if (units === undefined || units === "0") throw new Error(`an amount in ${currency.symbol}`)
    const from = await walletOf(wallet)
    const nonce = BigInt(
      `0x${[...crypto.getRandomValues(new Uint8Array(16))].map((byte) => byte.toString(16).padStart(2, "0")).join("")}`
    ).toString()
    const deadline = Math.floor(Date.now() / 1000) + VALID_SECONDS
    const name = primaryTypes[kind]
    const message = {
      wallet,
      recipient: to,
      currencyChainId: String(currency.chainId),
      currency: currency.address.startsWith("0x") ? currency.address.toLowerCase() : currency.address,
      amount: units,
      nonce,
      deadline: String(deadline)
    }
    const signature = await signTyped(from, wallet, {
      domain: { name: "Causeway", version: "1", chainId: settlement.chainId, verifyingContract: settlement.solver },
      primaryType: name,
      types: {
        EIP712Domain: [
          { name: "name", type: "string" },
          { name: "version", type: "string" },
          { name: "chainId", type: "uint256" },
          { name: "verifyingContract", type: "address" }
        ],
        [name]: [
          { name: "wallet", type: "address" },
          { name: "recipient", type: "address" },
          { name: "currencyChainId", type: "uint256" },
          { name: "currency", type: "string" },
          { name: "amount", type: "uint256" },
          { name: "nonce", type: "uint256" },
          { name: "deadline", type: "uint256" }
        ]
      },
      message
    })
    const body = {
      recipient: to,
      chainId: currency.chainId,
      currency: currency.address,
      amount: units,
      nonce,
      deadline,
      signature
    }
    if (kind === "settle") {
      await call((answer) => answer, "POST", `app-fees/${wallet}/settle`, { body })
      done(`Paid: ${amount} ${currency.symbol} to ${to}.`)
    } else {
      const { id, status } = await call(payout, "POST", `app-fees/${wallet}/${kind}`, { body })
      done(`Accepted: ${amount} ${currency.symbol}, ${status}. Its id is ${id}.`)
    }
  }
  return (
    <Form run={send} submit={submits[kind]}>
      <Field label={labelOf(props)} value={amount} change={setAmount} mode="decimal" required />
      {recipient === undefined ? <Field label="To" value={to} change={setTo} required /> : null}
    </Form>
  )
}
