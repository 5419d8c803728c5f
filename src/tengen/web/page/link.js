// The line to the server: one WebSocket that comes back by itself, to the same game.

const FIRST_WAIT_MS = 300;
const LONGEST_WAIT_MS = 5000;
const PING_MS = 15000;

export class Link {
  constructor(onMessage, onOpen) {
    this.onMessage = onMessage;
    this.onOpen = onOpen;
    this.wait = FIRST_WAIT_MS;
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
      this.wait = FIRST_WAIT_MS;
      this.send("hello", { game: gameId() });
      this.onOpen(true);
    };
    socket.onmessage = (event) => this.onMessage(JSON.parse(event.data));
    socket.onclose = () => {
      this.onOpen(false);
      setTimeout(() => this.connect(), this.wait);
      this.wait = Math.min(this.wait * 2, LONGEST_WAIT_MS);
    };
  }

  // Come back at once, to the game that is in the address now.
  rejoin() {
    this.socket.close();
  }

  // Send a message; return whether there was a connection.
  send(type, fields = {}) {
    if (this.isOpen) this.socket.send(JSON.stringify({ type, ...fields }));
    return this.isOpen;
  }
}

// The game of this tab is in its address, so that a reload comes back to it.
export function gameId() {
  return location.hash.length > 1 ? location.hash.slice(1) : null;
}

export function keepGameId(id) {
  if (gameId() !== id) history.replaceState(null, "", `#${id}`);
}
