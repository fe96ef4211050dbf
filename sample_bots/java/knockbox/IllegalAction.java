package knockbox;

/** The action cannot be: the text names the card, where it is, and what would be legal. */
public final class IllegalAction extends RuntimeException {
    private static final long serialVersionUID = 1L;

    IllegalAction(String message) {
        super(message);
    }
}
