/** The state of a page, or of a part of it, that the key has no scope for. */
import { type Scope, who } from './session.ts';

/**
 * Says which scope the rest of a page needs.
 * @param what The end of a sentence.
 */
export function NeedsScope({ scope, what }: { readonly scope: Scope; readonly what: string }) {
  return (
    <div class="state" data-state="scope_missing">
      <p>
        The scope <code>{scope}</code> is needed to show {what}. The key “
        <bdi>{who.value?.name}</bdi>” has {who.value?.scopes.join(', ') || 'no scope'}.
      </p>
    </div>
  );
}
