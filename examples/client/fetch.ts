/** A transfer by `fetch` alone: ask, send each item's data as it is, look until it has ended. On EVM chains by viem. */
import { createPublicClient, http } from "viem"
import type { Hex, WalletClient } from "viem"

interface Transaction {
  readonly to: Hex
  readonly data: Hex
  readonly value: string
  readonly gas: string
  readonly maxFeePerGas: string
  readonly maxPriorityFeePerGas: string
}

interface Item<Data> {
  readonly data: Data
  readonly check?: { readonly endpoint: string }
}

interface Answer<Data> {
  readonly steps: ReadonlyArray<{ readonly requestId: string; readonly items: ReadonlyArray<Item<Data>> }>
  readonly details: { readonly currencyOut: { readonly amount: string } }
  readonly status: string
  readonly retryable?: boolean
  readonly requests: ReadonlyArray<{
    readonly data: { readonly settlements: ReadonlyArray<{ readonly state: string }> }
  }>
}

const isAnswer = <Data>(value: unknown): value is Answer<Data> => typeof value === "object" && value !== null

const pause = () => new Promise((resolve) => setTimeout(resolve, 500))

const json = async <Data>(url: string, body?: object): Promise<Answer<Data>> => {
  const answer = await fetch(url, {
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
    headers: { "content-type": "application/json" }
  })
  const text = await answer.text()
  const told: unknown = JSON.parse(text)
  if (answer.ok && isAnswer<Data>(told)) return told
  if (answer.status !== 503 || !isAnswer<Data>(told) || told.retryable !== true) throw new Error(text)
  // A chain, or a server of routes, is late.
  await pause()
  return await json(url, body)
}

/** Resolves when the transaction is in a block, or broadcast if no other one of the request follows it. */
export type Send<Data> = (data: Data) => Promise<unknown>

/** `out`: what was quoted, smallest units. */
export const transferBy = async <Data>(url: string, request: object, send: Send<Data>) => {
  const { details, steps } = await json<Data>(`${url}/quote`, request)
  for (const { items, requestId } of steps) {
    for (const { check, data } of items) {
      await send(data)
      if (check === undefined) continue
      while (true) {
        const { status } = await json(`${url}${check.endpoint}`)
        if (["success", "refund", "failure"].includes(status)) {
          return { status, requestId, out: BigInt(details.currencyOut.amount) }
        }
        await pause()
      }
    }
  }
  throw new Error("no step of the quote can be followed")
}

/** Resolves when the hub has credited all of the request's deposits to the solver. */
export const settled = async (url: string, requestId: string): Promise<void> => {
  while (true) {
    const { requests: [found] } = await json(`${url}/requests?id=${requestId}`)
    const settlements = found?.data.settlements ?? []
    if (settlements.length > 0 && settlements.every(({ state }) => state === "settled")) return
    await pause()
  }
}

/** Sends the data of steps on an EVM chain, each until it is mined. */
export const sendOnEthereum = (rpcUrl: string, wallet: WalletClient) => {
  const reader = createPublicClient({ transport: http(rpcUrl) })
  const { account, chain } = wallet
  if (account === undefined || chain === undefined) throw new Error("the wallet needs an account and a chain")
  return async (data: Transaction) => {
    const hash = await wallet.sendTransaction({
      account,
      chain,
      to: data.to,
      data: data.data,
      value: BigInt(data.value),
      gas: BigInt(data.gas),
      maxFeePerGas: BigInt(data.maxFeePerGas),
      maxPriorityFeePerGas: BigInt(data.maxPriorityFeePerGas)
    })
    const { status } = await reader.waitForTransactionReceipt({ hash })
    if (status !== "success") throw new Error(`${hash} reverted`)
  }
}

/** Resolves with the status in which it has ended. */
export const transferByFetch = async (url: string, rpcUrl: string, wallet: WalletClient, request: object) =>
  (await transferBy(url, request, sendOnEthereum(rpcUrl, wallet))).status
