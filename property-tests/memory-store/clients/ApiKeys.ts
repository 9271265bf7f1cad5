/** The port `ApiKeys` in memory. */
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { ApiKeys } from "../../../ports/store/clients/ApiKeys.ts"
import type { KeptApiKey } from "../../../ports/store/clients/ApiKeys.ts"
import type { ApiKey, ApiKeyId } from "../../../src/domain/api-key/ApiKey.ts"
import type { Address } from "../../../src/domain/chain/Address.ts"
import type { Hex32 } from "../../../src/domain/encoding/Hex.ts"
import { MemoryStore } from "../MemoryStore.ts"
import { ascending } from "../Ordering.ts"
import type { ApiKeyRow } from "../rows/ClientRows.ts"
import { WriteRefused } from "../Table.ts"
import type { Tables } from "../Tables.ts"

const add = ({ keys }: Tables, { defaultCap, id, label, owner, wallet }: ApiKey, hash: Hex32, at: number): void => {
  if (keys.all().some((row) => row.hash === hash)) throw new WriteRefused("the hash is another key's")
  keys.add(id, {
    key: {
      id,
      label,
      ...(owner === undefined ? {} : { owner }),
      ...(wallet === undefined ? {} : { wallet }),
      ...(defaultCap === undefined ? {} : { defaultCap })
    },
    hash,
    previous: undefined,
    createdAt: at,
    revokedAt: undefined
  })
}

const listed = (rows: ReadonlyArray<ApiKeyRow>): ReadonlyArray<KeptApiKey> =>
  rows.toSorted(ascending(({ createdAt }) => createdAt, ({ key: { id } }) => id)).map((
    { createdAt, key, previous, revokedAt }
  ) => ({ key, createdAt, revokedAt, rotatingUntil: previous?.until }))

const unlink = ({ keys }: Tables, id: ApiKeyId): void => {
  keys.change(id, ({ key: { wallet: _, ...key }, ...row }) => ({ ...row, key }))
}

const unlinkWallet = (tables: Tables, wallet: Address, only: ApiKeyId | undefined): ReadonlyArray<ApiKeyId> => {
  const ids = tables.keysOfWallet(wallet).map(({ key: { id } }) => id).filter((id) => only === undefined || id === only)
  for (const id of ids) unlink(tables, id)
  return ids.toSorted()
}

export const layer = Layer.effect(
  ApiKeys,
  Effect.map(MemoryStore, ({ call }) =>
    ApiKeys.of({
      add: (key, hash, at) => call("ApiKeys.add", (tables) => add(tables, key, hash, at)),
      find: (hash) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) =>
          call("ApiKeys.find", ({ keys }) =>
            keys.all().find(({ hash: current, previous, revokedAt }) =>
              revokedAt === undefined && (current === hash || (previous?.hash === hash && previous.until > now))
            )?.key)),
      all: call("ApiKeys.all", ({ keys }) =>
        listed(keys.all())),
      ofWallet: (of) =>
        call("ApiKeys.ofWallet", ({ keys }) =>
          listed(
            keys.all().filter(({ key: { owner, wallet } }) =>
              owner === of || wallet === of
            )
          )),
      rotate: (id, hash, previousUntil) =>
        call("ApiKeys.rotate", ({ keys }) => {
          const row = keys.get(id)
          if (row === undefined || row.revokedAt !== undefined) {
            return false
          }
          keys.set(id, { ...row, hash, previous: { hash: row.hash, until: previousUntil } })
          return true
        }),
      revoke: (id, at) =>
        call("ApiKeys.revoke", ({ keys }) =>
          keys.change(id, (row) => ({ ...row, revokedAt: row.revokedAt ?? at }))?.revokedAt),
      link: (id, wallet) =>
        call("ApiKeys.link", ({ keys }) => {
          const row = keys.get(id)
          if (row === undefined || row.revokedAt !== undefined) {
            return undefined
          }
          const key = { ...row.key, wallet }
          keys.set(id, { ...row, key })
          return key
        }),
      unlink: (id) =>
        call("ApiKeys.unlink", (tables) => unlink(tables, id)),
      unlinkWallet: (wallet, only) => call("ApiKeys.unlinkWallet", (tables) => unlinkWallet(tables, wallet, only))
    }))
)
