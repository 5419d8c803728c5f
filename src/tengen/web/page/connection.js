// WebSocket connection to the server; reconnects to the same game after an interruption.

const FIRST_RETRY_MS = 300;
const MAX_RETRY_MS = 5000;
const PING_MS = 15000;

export class Connection {
  constructor(onMessage, onStatus) {
    this.onMessage = onMessage;
    this.onStatus = onStatus;
    this.retryMs = FIRST_RETRY_MS;
    this.connect();
    setInterval(() => this.send("ping"), PING_MS);
    addEventListener("online", () => this.connect());
  }

  get isOpen() {
    return this.socket?.readyState === WebSocket.OPEN;
  }

  connect() {
    if (this.socket && this.socket.readyState <= WebSocket.OPEN) return;
    const socket = new WebSocket(`${location.protocol === "https:" ? "wss" : "ws"}://${location.host}/socket`);
    this.socket = socket;
    socket.onopen = () => {
      this.retryMs = FIRST_RETRY_MS;
      this.send("hello", { game: gameId() });
      this.onStatus(true);
    };
    socket.onmessage = (event) => this.onMessage(JSON.parse(event.data));
    socket.onclose = () => {
      this.onStatus(false);
      setTimeout(() => this.connect(), this.retryMs);
      this.retryMs = Math.min(this.retryMs * 2, MAX_RETRY_MS);
    };
  }

  // Close the connection; the retry joins the game in the address.
  reconnect() {
    this.socket.close();
  }

  // Send a message; return false without a connection.
  send(type, fields = {}) {
    if (this.isOpen) this.socket.send(JSON.stringify({ type, ...fields }));
    return this.isOpen;
  }
}

// The address holds the game id, so that a reload returns to the game.
export function gameId() {
  return location.hash.length > 1 ? location.hash.slice(1) : null;
}

export function setGameId(id) {
  if (gameId() !== id) history.replaceState(null, "", `#${id}`);
}
