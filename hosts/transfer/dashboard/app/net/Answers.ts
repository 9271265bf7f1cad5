/** What this page reads of the API's answers. */
import { byName, flag, list, number, optional, orNull, record, text } from "./Decode.ts"

const currency = record({ chainId: number, address: text, symbol: text, decimals: number })
const money = { currency, amount: text, amountFormatted: text, amountUsd: text }
const amount = record(money)

export const session = record({
  signedIn: orNull(text),
  wallet: orNull(text),
  csrf: orNull(text),
  expiresAt: orNull(text),
  operators: flag
})
export type Session = ReturnType<typeof session>

export const challenge = record({ message: text })

const key = {
  id: text,
  label: text,
  wallet: orNull(text),
  createdAt: text,
  revokedAt: orNull(text),
  rotatingUntil: orNull(text)
}
export const walletKeys = record({ keys: list(record({ ...key, role: text })) })
export const allKeys = record({ keys: list(record(key)) })
export type WalletKeyRow = ReturnType<typeof walletKeys>["keys"][number]
export const secretKey = record({ id: text, key: text })

export const budget = record({
  total: orNull(text),
  perDay: orNull(text),
  perRecipientPerDay: orNull(text),
  laterPerAddressPerDay: orNull(text),
  defaultCap: orNull(text),
  spent: record({ total: text, today: text })
})
export type Budget = ReturnType<typeof budget>

export const chains = record({
  chains: list(record({
    id: number,
    displayName: text,
    slug: text,
    vmType: text,
    disabled: flag,
    explorerUrl: orNull(text),
    currency: record({ symbol: text, address: text, decimals: number }),
    solverCurrencies: list(record({ symbol: text, address: text, decimals: number }))
  })),
  settlement: record({ chainId: number, token: text, solver: text })
})
export type Chains = ReturnType<typeof chains>

export const balance = record({
  ...money,
  balances: list(amount),
  totalBalanceUsd: text,
  availableBalanceUsd: text,
  claimable: list(amount),
  pending: list(amount),
  owed: list(record({ ...money, recipient: text }))
})
export type Amount = ReturnType<typeof amount>

export const statement = record({
  entries: list(record({
    id: text,
    kind: text,
    at: text,
    postings: list(record({ account: text, chainId: number, currency: text, amount: text }))
  })),
  continuation: optional(text)
})

export const payout = record({ id: text, status: text, txHash: orNull(text) })

const side = record({ currency, amountFormatted: text, amountUsd: text })
export const requests = record({
  requests: list(record({
    id: text,
    status: text,
    user: text,
    createdAt: text,
    referrer: orNull(text),
    data: record({
      metadata: record({ currencyIn: side, currencyOut: side }),
      feeSponsorship: optional(
        record({ actual: optional(record({ sponsorPayment: record({ amount: text }) })) })
      )
    })
  })),
  continuation: optional(text)
})

export const webhooks = record({
  webhooks: list(record({ id: text, url: text, lowBalance: orNull(text), createdAt: text }))
})
export const webhookSecret = record({ id: text, secret: text })
export const deliveries = record({
  deliveries: list(record({
    id: text,
    webhookId: text,
    event: text,
    requestId: orNull(text),
    state: text,
    createdAt: text,
    nextTryAt: orNull(text),
    tries: list(record({ at: text, latencyMs: number, status: orNull(number), failure: orNull(text) }))
  })),
  continuation: optional(text)
})

export const costs = record({
  from: text,
  to: text,
  complete: flag,
  total: text,
  costs: list(record({
    day: text,
    apiKeyId: text,
    originChainId: number,
    destinationChainId: number,
    requests: number,
    captured: text,
    components: byName(text)
  }))
})
export type Costs = ReturnType<typeof costs>

export const ready = record({
  problems: list(text),
  chains: list(record({
    id: text,
    serves: flag,
    configuration: text,
    problems: list(text),
    warnings: list(text)
  }))
})

export const overview = record({
  inventory: list(record({
    chain: text,
    symbol: text,
    holding: text,
    chainId: number,
    currency: text,
    amount: orNull(text),
    promised: text,
    lowWater: orNull(text),
    low: flag
  })),
  exposure: list(record({ chain: text, deposits: number, usd: text })),
  stuck: list(record({
    requestId: text,
    status: text,
    since: text,
    originChainId: number,
    destinationChainId: number,
    why: text
  })),
  refundsHeld: list(record({ requestId: text, deposit: text, usd: text, since: text })),
  unended: number,
  held: list(text)
})

export const pauses = record({ pauses: list(record({ id: text, kind: text, reason: text, createdAt: text })) })
export const pause = record({ id: text })
export const losses = record({
  losses: list(record({
    kind: text,
    chainId: number,
    amount: text,
    currency: text,
    noticedAt: text,
    recoveredAt: orNull(text)
  }))
})
export const retried = record({ deposits: number, settlements: number })
