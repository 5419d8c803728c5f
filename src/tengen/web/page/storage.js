// Access to localStorage. Without it, or when it is full, values last until the page is closed.

export function load(name) {
  return access((storage) => storage.getItem(name)) ?? null;
}

export function store(name, value) {
  access((storage) => storage.setItem(name, value));
}

export function remove(name) {
  access((storage) => storage.removeItem(name));
}

export function storedNames() {
  return access((storage) => Object.keys(storage)) ?? [];
}

// Browsers may deny access to storage.
function access(action) {
  try {
    return action(localStorage);
  } catch {
    return undefined;
  }
}
