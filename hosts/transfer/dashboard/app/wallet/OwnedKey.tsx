/** Chooses one of the wallet's own keys, for pages about one key. */
import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { walletKeys } from "../net/Answers.ts"
import { call } from "../net/Call.ts"
import { Choice, Show, useLoaded } from "../parts/Parts.tsx"

export const WithOwnedKey = ({ children }: { readonly children: (key: string) => ComponentChildren }) => {
  const [chosen, setChosen] = useState<string>()
  const loaded = useLoaded("keys", () => call(walletKeys, "GET", "dashboard/keys"))
  return (
    <Show loaded={loaded}>
      {({ keys }) => {
        const own = keys.filter(({ revokedAt, role }) => role === "owner" && revokedAt === null)
        const key = own.find(({ id }) => id === chosen) ?? own[0]
        if (key === undefined) {
          return (
            <p>
              You own no valid key. <a href="#/keys">Make one</a>.
            </p>
          )
        }
        return (
          <>
            <Choice
              label="Key"
              value={key.id}
              change={setChosen}
              options={own.map(({ id, label }) => [id, `${label} (${id})`])}
            />
            {children(key.id)}
          </>
        )
      }}
    </Show>
  )
}
