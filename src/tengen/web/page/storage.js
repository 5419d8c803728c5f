// What the browser keeps of this page. Where it keeps nothing, all holds until the page is left.

export function kept(name) {
  return use((storage) => storage.getItem(name)) ?? null;
}

export function keep(name, value) {
  use((storage) => storage.setItem(name, value));
}

export function forget(name) {
  use((storage) => storage.removeItem(name));
}

export function keptNames() {
  return use((storage) => Object.keys(storage)) ?? [];
}

// A browser may refuse its storage, or have none left.
function use(action) {
  try {
    return action(localStorage);
  } catch {
    return undefined;
  }
}
