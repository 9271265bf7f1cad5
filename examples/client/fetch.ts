/** The same transfer by `fetch` and viem alone: ask, send each transaction as it is, look until it has ended. */
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

interface Item {
  readonly data: Transaction
  readonly check?: { readonly endpoint: string }
}

interface Answer {
  readonly steps: ReadonlyArray<{ readonly items: ReadonlyArray<Item> }>
  readonly status: string
}

const isAnswer = (value: unknown): value is Answer => typeof value === "object" && value !== null

export const transferByFetch = async (url: string, rpcUrl: string, wallet: WalletClient, request: object) => {
  const json = async (path: string, body?: object) => {
    const answer = await fetch(`${url}${path}`, {
      ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) }),
      headers: { "content-type": "application/json" }
    })
    const text = await answer.text()
    const told: unknown = JSON.parse(text)
    if (answer.ok && isAnswer(told)) return told
    throw new Error(text)
  }
  const reader = createPublicClient({ transport: http(rpcUrl) })
  const { account, chain } = wallet
  if (account === undefined || chain === undefined) throw new Error("the wallet needs an account and a chain")
  const { steps } = await json("/quote", request)
  for (const { check, data } of steps.flatMap(({ items }) => items)) {
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
    if (check === undefined) continue
    while (true) {
      const told = await json(check.endpoint)
      if (["success", "refund", "failure"].includes(told.status)) return told.status
      await new Promise((resolve) => setTimeout(resolve, 500))
    }
  }
  throw new Error("no step of the quote can be followed")
}
